package ntt

import machine "gamma/kernels/internal/cpu"

type features = machine.Features

// cpu decides which path transforms take, each time they run. Tests set fields to false to take the paths of older
// machines; nothing else writes to it.
var cpu = machine.Detect()
