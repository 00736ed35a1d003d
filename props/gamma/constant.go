package main

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gamma/metal"
)

// fix gives the function constants their values: those of -constant, and, where the kernel needs more, false or 1, which is assumed. What is wrong with a value is said when the function
// is made.
func (k *kernel) fix() {
	k.fixed = metal.FunctionConstants{}
	has := func(values metal.FunctionConstants) bool {
		_, err := k.compiled.Kernel(k.name, values)
		return err == nil
	}
	guessed := metal.FunctionConstants{}
	for _, c := range k.compiled.Constants() {
		text, given := k.constant[c.Name]
		if given {
			k.fixed[c.Index] = constantOf(c.Type, text)
			continue
		}
		if text = "1"; c.Type == "bool" {
			text = "false"
		}
		guessed[c.Index] = constantOf(c.Type, text)
	}
	if all := merged(k.fixed, guessed); has(k.fixed) || !has(all) {
		return
	}
	for _, c := range k.compiled.Constants() { // which of them it needs
		x, guess := guessed[c.Index]
		delete(guessed, c.Index)
		if guess && !has(merged(k.fixed, guessed)) {
			guessed[c.Index] = x
			k.assumed = append(k.assumed, fmt.Sprintf("%s = %v", c.Name, x))
		}
	}
	maps.Copy(k.fixed, guessed)
}

// constantOf returns a value of a type of Metal's as function constants take it, of a vector as many as it has with commas between, or one for all; the text itself
// where it is none.
func constantOf(t, text string) any {
	if n := int(t[len(t)-1] - '0'); n >= 2 && n <= 4 {
		words := strings.Split(text, ",")
		if len(words) == 1 {
			words = slices.Repeat(words, n)
		}
		var list reflect.Value
		for i, w := range words {
			x := reflect.ValueOf(constantOf(t[:len(t)-1], strings.TrimSpace(w)))
			if i == 0 {
				list = reflect.New(reflect.ArrayOf(len(words), x.Type())).Elem()
			}
			if x.Type() != list.Type().Elem() {
				return text
			}
			list.Index(i).Set(x)
		}
		if list.Type().Elem().Kind() == reflect.String {
			return text
		}
		return list.Interface()
	}
	if t == "bool" {
		if b, err := strconv.ParseBool(text); err == nil {
			return b
		}
		return text
	}
	if x, err := strconv.ParseFloat(text, 32); err == nil {
		switch t {
		case "float":
			return float32(x)
		case "half":
			return metal.Half(encode(t, float32(x)))
		case "bfloat":
			return metal.BFloat(encode(t, float32(x)))
		}
	}
	size := 8 * sizesOfNumbers[t]
	if x, err := strconv.ParseInt(text, 0, size); err == nil {
		switch t {
		case "char":
			return int8(x)
		case "short":
			return int16(x)
		case "int":
			return int32(x)
		case "long":
			return x
		}
	}
	if x, err := strconv.ParseUint(text, 0, size); err == nil {
		switch t {
		case "uchar":
			return uint8(x)
		case "ushort":
			return uint16(x)
		case "uint":
			return uint32(x)
		case "ulong":
			return x
		}
	}
	return text
}
