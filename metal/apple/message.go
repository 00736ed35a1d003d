package apple

// message is a message that this package sends. The table says all about it.
type message uint8

const (
	// NSObject.
	msgNew message = iota
	msgRetain
	msgRelease
	msgRespondsToSelector
	// Foundation.
	msgStringWithUTF8String
	msgUTF8String
	msgCount
	msgObjectAtIndex
	msgSetObjectForKey
	msgLocalizedDescription
	msgDomain
	msgCode
	msgProcessInfo
	msgOperatingSystemVersionString
	// MTLDevice.
	msgName
	msgRegistryID
	msgSupportsFamily
	msgIsLowPower
	msgMaxThreadgroupMemoryLength
	msgMaxThreadsPerThreadgroup
	msgMaxBufferLength
	msgNewLibraryWithSource
	msgNewComputePipelineState
	msgNewBufferWithLength
	msgNewBufferWithBytes
	msgNewCommandQueue
	// MTLCompileOptions.
	msgSetFastMathEnabled
	msgSetMathMode
	msgSetMathFloatingPointFunctions
	msgSetLanguageVersion
	msgSetPreprocessorMacros
	// MTLLibrary and MTLFunctionConstantValues.
	msgFunctionNames
	msgNewFunction
	msgNewFunctionWithConstants
	msgSetConstantAtIndex
	msgSetConstantWithName
	// MTLComputePipelineState.
	msgMaxTotalThreadsPerThreadgroup
	msgThreadExecutionWidth
	msgStaticThreadgroupMemoryLength
	// MTLBuffer.
	msgContents
	msgSetLabel
	// MTLCommandQueue and MTLCommandBuffer.
	msgCommandBuffer
	msgComputeCommandEncoder
	msgCommit
	msgWaitUntilCompleted
	msgStatus
	msgError
	msgGPUStartTime
	msgGPUEndTime
	// MTLComputeCommandEncoder.
	msgSetComputePipelineState
	msgSetBuffer
	msgSetBytes
	msgSetThreadgroupMemoryLength
	msgDispatchThreadgroups
	msgDispatchThreads
	msgMemoryBarrier
	msgEndEncoding
	messages // their number
)

// declaration is what is known of a message.
type declaration struct {
	on       string // the class or protocol of the receiver
	class    bool   // the receiver is the class itself
	selector string
	sig      signature
	// owned: the result is +1, and whoever gets it has to release it. What other messages return belongs to the autorelease pool, or
	// to its parent.
	owned bool
	// optional: older systems lack it, or newer ones may, since Apple deprecated it. It is asked for by respondsToSelector: first.
	optional bool
	// page is the words of testdata/reference.md that name the selector. Where it is empty the page says
	// nothing, and the selector is from where types is.
	page string
	// types says where the signature is from.
	types source
}

// source says where a fact is from.
type source uint8

const (
	fromMemory source = iota // to be checked by the first who runs this on a Mac
	fromHeader               // Apple's headers, of SDKs from macOS 10.13 to 27, as public repositories hold copies of them
	fromPage                 // testdata/reference.md
)

// table is indexed by message.
var table = [messages]declaration{
	msgNew:                {on: "NSObject", class: true, selector: "new", sig: sID, owned: true, page: "MTLFunctionConstantValues: `new`"},
	msgRetain:             {on: "NSObject", selector: "retain", sig: sID, owned: true},
	msgRelease:            {on: "NSObject", selector: "release", sig: sVoid},
	msgRespondsToSelector: {on: "NSObject", selector: "respondsToSelector:", sig: sBoolSEL, page: "check `respondsToSelector:` for macOS < 15"},

	msgStringWithUTF8String:         {on: "NSString", class: true, selector: "stringWithUTF8String:", sig: sIDString, types: fromHeader},
	msgUTF8String:                   {on: "NSString", selector: "UTF8String", sig: sString},
	msgCount:                        {on: "NSArray", selector: "count", sig: sUnsigned, types: fromHeader},
	msgObjectAtIndex:                {on: "NSArray", selector: "objectAtIndex:", sig: sIDUnsigned, types: fromHeader},
	msgSetObjectForKey:              {on: "NSMutableDictionary", selector: "setObject:forKey:", sig: sVoidIDID},
	msgLocalizedDescription:         {on: "NSError", selector: "localizedDescription", sig: sID, types: fromHeader},
	msgDomain:                       {on: "NSError", selector: "domain", sig: sID, types: fromHeader},
	msgCode:                         {on: "NSError", selector: "code", sig: sSigned, types: fromHeader},
	msgProcessInfo:                  {on: "NSProcessInfo", class: true, selector: "processInfo", sig: sID, types: fromHeader},
	msgOperatingSystemVersionString: {on: "NSProcessInfo", selector: "operatingSystemVersionString", sig: sID, types: fromHeader},

	msgName:                       {on: "MTLDevice", selector: "name", sig: sID, page: "device `name`"},
	msgRegistryID:                 {on: "MTLDevice", selector: "registryID", sig: sUnsigned, page: "`registryID`", types: fromHeader}, // uint64_t
	msgSupportsFamily:             {on: "MTLDevice", selector: "supportsFamily:", sig: sBoolSigned, page: "`supportsFamily:` (NSInteger)", types: fromPage},
	msgIsLowPower:                 {on: "MTLDevice", selector: "isLowPower", sig: sBool, optional: true, page: "`isLowPower`", types: fromHeader},
	msgMaxThreadgroupMemoryLength: {on: "MTLDevice", selector: "maxThreadgroupMemoryLength", sig: sUnsigned, page: "`maxThreadgroupMemoryLength`", types: fromHeader},
	msgMaxThreadsPerThreadgroup:   {on: "MTLDevice", selector: "maxThreadsPerThreadgroup", sig: sSize, page: "`maxThreadsPerThreadgroup` (returns MTLSize)", types: fromPage},
	msgMaxBufferLength:            {on: "MTLDevice", selector: "maxBufferLength", sig: sUnsigned, types: fromHeader},
	msgNewLibraryWithSource:       {on: "MTLDevice", selector: "newLibraryWithSource:options:error:", sig: sIDIDIDError, owned: true, page: "`newLibraryWithSource:options:error:` | `id (id,SEL,id NSString,id opts,id* err)` | +1", types: fromPage},
	msgNewComputePipelineState:    {on: "MTLDevice", selector: "newComputePipelineStateWithFunction:error:", sig: sIDIDError, owned: true, page: "`newComputePipelineStateWithFunction:error:` | `id (id,SEL,id,id*)` | +1", types: fromPage},
	msgNewBufferWithLength:        {on: "MTLDevice", selector: "newBufferWithLength:options:", sig: sIDUnsignedUnsigned, owned: true, page: "`newBufferWithLength:options:` / `newBufferWithBytes:length:options:` | `id (id,SEL,NSUInteger,NSUInteger)` / `(…,const void*,NSUInteger,NSUInteger)` | +1", types: fromPage},
	msgNewBufferWithBytes:         {on: "MTLDevice", selector: "newBufferWithBytes:length:options:", sig: sIDBytesUnsignedUnsigned, owned: true, page: "`newBufferWithLength:options:` / `newBufferWithBytes:length:options:` | `id (id,SEL,NSUInteger,NSUInteger)` / `(…,const void*,NSUInteger,NSUInteger)` | +1", types: fromPage},
	msgNewCommandQueue:            {on: "MTLDevice", selector: "newCommandQueue", sig: sID, owned: true, page: "`newCommandQueue` | +1"},

	msgSetFastMathEnabled:            {on: "MTLCompileOptions", selector: "setFastMathEnabled:", sig: sVoidBool, optional: true, page: "`fastMathEnabled` (BOOL", types: fromPage},
	msgSetMathMode:                   {on: "MTLCompileOptions", selector: "setMathMode:", sig: sVoidSigned, optional: true, page: "`mathMode` (macOS 15/iOS 18", types: fromHeader},
	msgSetMathFloatingPointFunctions: {on: "MTLCompileOptions", selector: "setMathFloatingPointFunctions:", sig: sVoidSigned, optional: true, page: "`mathFloatingPointFunctions` (macOS 15", types: fromHeader},
	msgSetLanguageVersion:            {on: "MTLCompileOptions", selector: "setLanguageVersion:", sig: sVoidUnsigned, page: "`languageVersion` = (major<<16)|minor", types: fromHeader},
	msgSetPreprocessorMacros:         {on: "MTLCompileOptions", selector: "setPreprocessorMacros:", sig: sVoidID, page: "`preprocessorMacros` (NSDictionary)", types: fromPage},

	msgFunctionNames:            {on: "MTLLibrary", selector: "functionNames", sig: sID, page: "lib `functionNames` | NSArray", types: fromPage},
	msgNewFunction:              {on: "MTLLibrary", selector: "newFunctionWithName:", sig: sIDID, owned: true, page: "`newFunctionWithName:` | `id (id,SEL,id)` | +1", types: fromPage},
	msgNewFunctionWithConstants: {on: "MTLLibrary", selector: "newFunctionWithName:constantValues:error:", sig: sIDIDIDError, owned: true, page: "`newFunctionWithName:constantValues:error:` | `id (id,SEL,id,id,id*)`", types: fromPage},
	msgSetConstantAtIndex:       {on: "MTLFunctionConstantValues", selector: "setConstantValue:type:atIndex:", sig: sVoidBytesUnsignedUnsigned, page: "`setConstantValue:type:atIndex:` (const void*, MTLDataType, NSUInteger)", types: fromPage},
	msgSetConstantWithName:      {on: "MTLFunctionConstantValues", selector: "setConstantValue:type:withName:", sig: sVoidBytesUnsignedID, page: "`...withName:`", types: fromHeader},

	msgMaxTotalThreadsPerThreadgroup: {on: "MTLComputePipelineState", selector: "maxTotalThreadsPerThreadgroup", sig: sUnsigned, page: "pipeline `maxTotalThreadsPerThreadgroup`, `threadExecutionWidth`, `staticThreadgroupMemoryLength` | NSUInteger", types: fromPage},
	msgThreadExecutionWidth:          {on: "MTLComputePipelineState", selector: "threadExecutionWidth", sig: sUnsigned, page: "pipeline `maxTotalThreadsPerThreadgroup`, `threadExecutionWidth`, `staticThreadgroupMemoryLength` | NSUInteger", types: fromPage},
	msgStaticThreadgroupMemoryLength: {on: "MTLComputePipelineState", selector: "staticThreadgroupMemoryLength", sig: sUnsigned, page: "pipeline `maxTotalThreadsPerThreadgroup`, `threadExecutionWidth`, `staticThreadgroupMemoryLength` | NSUInteger", types: fromPage},

	msgContents: {on: "MTLBuffer", selector: "contents", sig: sPointer, page: "buffer `contents` (void*)", types: fromPage},
	msgSetLabel: {on: "MTLBuffer", selector: "setLabel:", sig: sVoidID},

	msgCommandBuffer:         {on: "MTLCommandQueue", selector: "commandBuffer", sig: sID, page: "`commandBuffer`, `computeCommandEncoder`, `computeCommandEncoderWithDispatchType:` | +0 autoreleased"},
	msgComputeCommandEncoder: {on: "MTLCommandBuffer", selector: "computeCommandEncoderWithDispatchType:", sig: sIDUnsigned, page: "`commandBuffer`, `computeCommandEncoder`, `computeCommandEncoderWithDispatchType:` | +0 autoreleased", types: fromHeader},
	msgCommit:                {on: "MTLCommandBuffer", selector: "commit", sig: sVoid, page: "`commit`"},
	msgWaitUntilCompleted:    {on: "MTLCommandBuffer", selector: "waitUntilCompleted", sig: sVoid, page: "`waitUntilCompleted`"},
	msgStatus:                {on: "MTLCommandBuffer", selector: "status", sig: sUnsigned, page: "`status`", types: fromHeader},
	msgError:                 {on: "MTLCommandBuffer", selector: "error", sig: sID, page: "`error`"},
	msgGPUStartTime:          {on: "MTLCommandBuffer", selector: "GPUStartTime", sig: sDouble, page: "`GPUStartTime`, `GPUEndTime` | status: NotEnqueued 0, Enqueued 1, Committed 2, Scheduled 3, Completed 4, Error 5; times double (seconds)", types: fromPage},
	msgGPUEndTime:            {on: "MTLCommandBuffer", selector: "GPUEndTime", sig: sDouble, page: "`GPUStartTime`, `GPUEndTime` | status: NotEnqueued 0, Enqueued 1, Committed 2, Scheduled 3, Completed 4, Error 5; times double (seconds)", types: fromPage},

	msgSetComputePipelineState:    {on: "MTLComputeCommandEncoder", selector: "setComputePipelineState:", sig: sVoidID, page: "`setComputePipelineState:`"},
	msgSetBuffer:                  {on: "MTLComputeCommandEncoder", selector: "setBuffer:offset:atIndex:", sig: sVoidIDUnsignedUnsigned, page: "`setBuffer:offset:atIndex:`", types: fromHeader},
	msgSetBytes:                   {on: "MTLComputeCommandEncoder", selector: "setBytes:length:atIndex:", sig: sVoidBytesUnsignedUnsigned, page: "`setBytes:length:atIndex:`", types: fromHeader},
	msgSetThreadgroupMemoryLength: {on: "MTLComputeCommandEncoder", selector: "setThreadgroupMemoryLength:atIndex:", sig: sVoidUnsignedUnsigned, page: "`setThreadgroupMemoryLength:atIndex:`", types: fromHeader},
	msgDispatchThreadgroups:       {on: "MTLComputeCommandEncoder", selector: "dispatchThreadgroups:threadsPerThreadgroup:", sig: sVoidSizeSize, page: "`dispatchThreadgroups:threadsPerThreadgroup:` `dispatchThreads:threadsPerThreadgroup:` | `void (id,SEL,MTLSize,MTLSize)`", types: fromPage},
	msgDispatchThreads:            {on: "MTLComputeCommandEncoder", selector: "dispatchThreads:threadsPerThreadgroup:", sig: sVoidSizeSize, page: "`dispatchThreadgroups:threadsPerThreadgroup:` `dispatchThreads:threadsPerThreadgroup:` | `void (id,SEL,MTLSize,MTLSize)`", types: fromPage},
	msgMemoryBarrier:              {on: "MTLComputeCommandEncoder", selector: "memoryBarrierWithScope:", sig: sVoidUnsigned, page: "`memoryBarrierWithScope:` | NSUInteger (Buffers=1)", types: fromPage},
	msgEndEncoding:                {on: "MTLComputeCommandEncoder", selector: "endEncoding", sig: sVoid, page: "`endEncoding`"},
}
