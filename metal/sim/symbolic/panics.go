package symbolic

const notInTable = "symbolic: an expression's number is not in the machine's table: it belongs to another machine"
