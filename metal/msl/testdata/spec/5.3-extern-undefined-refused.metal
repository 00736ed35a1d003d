// A constant of another library, with which this one would have to be linked.
// refused: answer is declared and not defined
extern constant int answer;
kernel void k(device int *o) { *o = answer; }
