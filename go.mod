module gamma

go 1.26
