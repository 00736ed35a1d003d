constexpr int endless(int n) { while (true) n++; return n; }
constant int never = endless(1); // ### signed overflow|steps
constexpr int deep(int n) { return deep(n + 1); }
constant int never2 = deep(1); // ### more than 256 deep
