module gamma

go 1.26

require (
	github.com/leanovate/gopter v0.2.11 // indirect
	github.com/stretchr/testify v1.11.1 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
