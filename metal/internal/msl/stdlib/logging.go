package stdlib

import (
	"strings"

	"gamma/metal/internal/msl/typed"
)

// Logger is os_log, which has no state here.
var Logger = &typed.Struct{Name: "os_log"}

// loggerMethods are the methods of os_log that write something; the checker knows their formats.
const loggerMethods = "log log_debug log_info log_error log_fault"

func init() {
	Logger.Layout(1)
	named["os_log"] = Logger
	for name := range strings.FieldsSeq(loggerMethods) {
		special["os_log::"+name] = func(c *call, targs []TArg, args []Arg) (typed.Expr, error) {
			return nil, wrong(c.pos, "%s takes a format in quotes: %s(\"i = %%d\", i)", c.name, name)
		}
	}
}
