module gamma/props/peers

go 1.26.8

require (
	gamma v0.0.0
	github.com/consensys/gnark-crypto v0.22.0
	github.com/ebitengine/purego v0.11.3
	github.com/stretchr/testify v1.12.1
	github.com/tuneinsight/lattigo/v6 v6.1.1
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/ALTree/bigfloat v0.0.0-20220102081255-38c8b72a9924 // indirect
	github.com/bits-and-blooms/bitset v1.25.0 // indirect
	github.com/google/go-cmp v0.6.0 // indirect
	github.com/leanovate/gopter v0.2.11 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.57.0 // indirect
	golang.org/x/exp v0.0.0-20230321023759-10a507213a29 // indirect
	golang.org/x/sys v0.48.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)

replace gamma => ../..
