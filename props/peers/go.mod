module gamma/props/peers

go 1.26

require (
	gamma v0.0.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/leanovate/gopter v0.2.11 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)

replace gamma => ../..
