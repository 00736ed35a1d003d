package cuda

import (
	"os"
	"path/filepath"
	"runtime"

	"gamma/metal/internal/offload"
)

// PathVariable lists folders or files, apart as in PATH, where libcuda and NVRTC are looked for first.
const PathVariable = "GAMMA_CUDA_PATH"

// surroundings are what a search looks at, so that tests can have their own.
type surroundings struct {
	env    func(string) string
	python string   // the interpreter's path, "" for none
	usual  []string // patterns of folders
}

func here() surroundings {
	s := surroundings{env: os.Getenv, python: offload.Python(), usual: []string{
		"/usr/local/cuda/lib64", "/usr/local/cuda-*/lib64", "/usr/local/cuda*/targets/*/lib", "/usr/local/nvidia/lib64", "/opt/cuda/lib64",
		"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/lib/wsl/lib",
		"/usr/lib/python3*/dist-packages", "/usr/local/lib/python3*/*-packages", "/opt/*/.venv/lib/python3*/site-packages",
	}}
	if runtime.GOOS == "windows" {
		s.usual = []string{`C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v*\bin`, `C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v*\bin\x64`}
	}
	if home, err := os.UserHomeDir(); err == nil {
		s.usual = append(s.usual, filepath.Join(home, ".local/lib/python3*/site-packages"))
	}
	return s
}

// search is what both searches have in common.
func (s surroundings) search(title string) *offload.Search {
	return &offload.Search{
		Device: string(name), Title: title, Variable: PathVariable, Below: []string{"lib64", "lib", "bin", "bin/x64"}, Roots: []string{"CUDA_PATH", "CUDA_HOME"},
		Usual: s.usual, Python: s.python, Env: s.env,
	}
}

// driver searches for libcuda.
func (s surroundings) driver() *offload.Search {
	x := s.search("libcuda")
	x.Names, x.Others = driverNames(), compilerNames()
	x.Missing = "install NVIDIA's driver, or set " + PathVariable + " to the folder of " + x.Names[0]
	return x
}

// compiler searches for NVRTC.
func (s surroundings) compiler() *offload.Search {
	x := s.search("nvrtc")
	x.Names, x.Others = compilerNames(), driverNames()
	x.Bundled = []string{"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"}
	if runtime.GOOS == "windows" {
		x.Bundled = []string{"nvidia/cu13/bin/x86_64", "nvidia/cu13/bin", "nvidia/cuda_nvrtc/bin"}
	}
	x.Missing = "install CUDA's NVRTC (pip install nvidia-cuda-nvrtc has it), or set " + PathVariable + " to the folder of libnvrtc.so"
	return x
}

func driverNames() []string {
	if runtime.GOOS == "windows" {
		return []string{"nvcuda.dll"}
	}
	return []string{"libcuda.so.1", "libcuda.so"}
}

func compilerNames() []string {
	if runtime.GOOS == "windows" {
		return []string{"nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"}
	}
	return []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}
}
