inline int h(int a) {
  return a +;                          // ### expected an expression, found ;
  if (a) else a = 1;                   // ### expected an expression|this else has no if
  a = (float a;                        // ### expected \( or { after a type|after the type float
  do a = 1; while a;                   // ### expected \( after while, found a
  switch (a) a = 1;                    // ### expected { after switch
  case 1 a = 1;                        // ### expected : after case, found a
  a.; a = 2;                           // ### expected the name of a member, found ;
  auto l = [] a = 1;                   // ### expected the body of a lambda
}
inline int good(int a) { return a }    // ### expected ; after return, found }
inline int never(int a) { return a;    // ### nothing closes this \{
