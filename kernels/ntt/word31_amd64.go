package ntt

// word31Down runs the layers of forward with the factors f, and reduces.
func word31Down(x []uint32, f word31Factors, q uint32) { word31DownGo(x, f, q) }

// word31Up runs the layers of inverse with the factors f.
func word31Up(x []uint32, f word31Factors, q uint32) { word31UpGo(x, f, q) }

// word31Scale multiplies each word by a factor w with its Shoup factor s.
func word31Scale(x []uint32, w, s, q uint32) { word31ScaleGo(x, w, s, q) }
