// Package apple implements metal.Device by Metal.framework, through purego and without cgo.
//
// It is written, cross-built and vetted for darwin/arm64 and darwin/amd64, and its logic is tested on Linux. IT HAS NOT RUN ON A MAC
// YET. Nothing that it says of Metal was seen on one by us.
//
// Start here: Open, Options, Device.Report. The rest is metal.Device. Off macOS Open returns an error that says so: a reason to skip.
//
// # For the first who runs it on a Mac
//
// One command, in the root of the module (Go is all it needs, no Xcode):
//
//	go test -count=1 -v -run 'OnThisMac|Layout' ./metal/apple
//
// Report all of its output: it names the device, the families, the build of macOS, every selector that this system does not know, and what
// the self-test found, mode by mode. If the process ends in a crash, the last line that begins with "send" names the message; run again
// with GAMMA_APPLE_TRACE=1 to see such lines. What to look at first: the selectors and types that TestMessages lists as being from memory.
//
// What no test here can decide, and a Mac can:
//
//   - that purego's calls work on macOS as they do on linux/amd64, and on linux/arm64 under qemu, where MTLSize was seen to go and to come back,
//     and a double to come back, as the C conventions say (TestLayout, TestDouble);
//   - that a stack of 512 KiB, which threads beside the first one have, is enough for Metal's compiler as far as it runs in this process;
//   - whether command buffers that have completed, but whose end nobody has asked for, count among the 64 of a queue (work.Start);
//   - whether macOS stops a kernel that never ends, with which code, and after how long: WaitUntilCompleted waits for it;
//   - what Metal says of a LanguageVersion that is newer than the system: an NSError, it is hoped;
//   - what Metal does where it raises an Objective-C exception, which ends the process: all calls that are known to lead there are refused in Go;
//   - whether objects of Metal's debug layer (MTL_DEBUG_LAYER=1) answer respondsToSelector: for what they pass on.
//
// # Layers
//
// native is the interface of what only a Mac can do: classes, selectors, pools, two C functions, and one send. native_darwin.go implements
// it and decides nothing. functions.go has objc_msgSend once for each C type that is used, and message.go says which message has which; the
// words that arrive in C are looked at on Linux, through the real purego. On it stands a backend of metal/internal/protocol, which has checked
// all that it is given; so no call that Metal would not survive reaches Metal. All above native is the same on every system and is tested with a
// native that counts references, knows the C types by itself and runs the kernels on the simulator.
//
// # Threads and pools
//
// An autorelease pool belongs to a thread, and a goroutine may move to another one. So all messages go through a pool, which host.work opens
// on a locked thread and closes again. Encoders record in Go, and Commit plays their dispatches, telling Metal what changed between one and the
// next: no pool lives longer than one call of this package. An encoder without a dispatch is not played.
//
// # Ownership
//
// By Cocoa's rule, new…, copy… and retain give +1, and all else belongs to the pool, or to its parent. No object is made by alloc.
//
//	object                          from                                        +1  released by
//	MTLDevice                       MTLCreateSystemDefaultDevice                yes Device.Release
//	MTLDevice of a list             objectAtIndex:, then retain                 yes Device.Release
//	NSArray of devices              MTLCopyAllDevices                           yes the call that made it
//	MTLLibrary                      newLibraryWithSource:options:error:         yes Library.Release
//	MTLFunction                     newFunctionWithName:…                       yes Function.Release
//	MTLComputePipelineState         newComputePipelineStateWithFunction:error:  yes Release of the pipeline, and Commit of what encoded it
//	MTLBuffer                       newBufferWith…                              yes Release of the buffer, and Commit of what encoded it
//	MTLCommandQueue                 newCommandQueue                             yes Release of the queue, and Commit of its command buffers
//	MTLCommandBuffer                commandBuffer, then retain                  yes when it is seen to have ended
//	MTLCompileOptions               new                                         yes the call that made it
//	MTLFunctionConstantValues       new                                         yes the call that made it
//	NSMutableDictionary of macros   new                                         yes the call that made it
//	MTLComputeCommandEncoder        computeCommandEncoderWithDispatchType:      no  the pool, after endEncoding
//	NSString                        stringWithUTF8String:, name, …              no  the pool
//	NSArray of functions, NSError   functionNames, an error's place, error      no  the pool
//
// Device.Release waits for calls that run and releases all that is left. A command buffer that is never asked how it ended keeps its
// MTLCommandBuffer until then; one that is never committed keeps what it encoded until it is garbage.
//
// # What differs from the simulator
//
// Diagnostics are Metal's own. Headers are pasted in between #line directives, since Metal looks for headers in files only; an #include whose
// name comes out of a macro is left alone. Macros
// with parameters or with an empty text are written as #define before the source, the others go to preprocessorMacros. Arguments, and
// checks of what is bound, come from metal/msl reading the same source: where it does not take a source that Metal takes, Arguments is nil
// and a kernel that misses a buffer is not caught. Before macOS 15 there is no mathMode, and only safe with precise functions and fast with fast
// ones can be asked for. Properties.Behaviour is what the self-test found: pragmas and options of a source still say where the device may
// make use of it. The offset of a buffer in constant memory is a multiple of 4 on Apple's GPUs, as their feature tables say, and of 256 on others.
package apple
