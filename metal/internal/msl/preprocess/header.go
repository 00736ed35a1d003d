package preprocess

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"gamma/metal/internal/msl/token"
)

// include obeys #include, and #import, which enters a file only once.
func (p *processor) include(word string, pos token.Pos) {
	p.f.skipBlanks()
	target, quoted, ok := p.f.headerName()
	if ok {
		p.noMore(word)
	} else {
		line := p.expandLine()
		if len(line) == 0 {
			p.errorf(pos, "#%s needs \"file\" or <file>", word)
			return
		}
		switch first, last := line[0], line[len(line)-1]; {
		case len(line) == 1 && first.Kind == token.String && first.Text[0] == '"':
			target, quoted = first.Text[1:len(first.Text)-1], true
		case len(line) > 2 && first.Text == "<" && last.Text == ">":
			target = strings.TrimSpace(spell(line[1 : len(line)-1]))
		default:
			p.errorf(pos, "#%s needs \"file\" or <file>", word)
			return
		}
	}
	key, text, ok := p.findHeader(target, quoted)
	switch own := strings.TrimPrefix(target, "metal/"); {
	case ok && p.once[key]:
	case ok:
		if word == "import" {
			p.once[key] = true
		}
		p.enter(text, key, key, pos)
	case isMetalHeader(target):
		p.metalHeader()
	case strings.HasPrefix(target, "MetalPerformancePrimitives/"):
		p.unsupported(pos, "MetalPerformancePrimitives", "MetalPerformancePrimitives, of which tensor_ops are a part; leave them out by #if, or write the product with simdgroup_matrix")
	case strings.HasPrefix(own, "metal_"):
		p.errorf(pos, "Metal has no header %.60q; there are %s", target, strings.Join(metalHeaders, ", "))
	default:
		p.errorf(pos, "there is no header %.60q; add its text to the headers of the compilation, or give the folder that it is in", target)
	}
}

// metalHeader does what the headers of Metal do where they are included: assert means nothing after NDEBUG.
func (p *processor) metalHeader() {
	const name = "assert"
	if m := p.names[name].m; m != nil && m.shared && p.names["NDEBUG"].m != nil {
		delete(p.names, name)
		p.defineOption(name+"(...)", "((void)0)")
	}
}

func (s *scanner) skipBlanks() {
	for s.off < len(s.src) && classes[s.src[s.off]]&classBlank != 0 {
		s.off++
	}
}

// headerName scans "file" or <file>.
func (s *scanner) headerName() (target string, quoted, ok bool) {
	rest := s.src[s.off:]
	if rest == "" || rest[0] != '<' && rest[0] != '"' {
		return "", false, false
	}
	end := byte('>')
	if rest[0] == '"' {
		end = '"'
	}
	n := strings.IndexByte(rest[1:], end)
	if n < 0 || strings.IndexByte(rest[1:1+n], '\n') >= 0 {
		return "", false, false
	}
	s.off += n + 2
	return rest[1 : 1+n], rest[0] == '"', true
}

// findHeader returns the key and the text of the header that target names.
func (p *processor) findHeader(target string, quoted bool) (key, text string, ok bool) {
	names := []string{target, path.Clean(target)}
	if quoted && !path.IsAbs(target) {
		names = append([]string{path.Join(path.Dir(p.f.key), target)}, names...)
	}
	for _, key := range names {
		if text, ok := p.texts[key]; ok {
			return key, text, true
		}
		if text, ok := Header(p.opts.Headers, p.opts.Files, key); ok {
			p.texts[key] = text
			return key, text, true
		}
	}
	return "", "", false
}

// Header returns the text of the header called name: that in headers, or else the file of that name.
func Header(headers map[string]string, files fs.FS, name string) (text string, ok bool) {
	if text, ok = headers[name]; ok || files == nil || !fs.ValidPath(name) {
		return text, ok
	}
	if info, err := fs.Stat(files, name); err != nil || info.IsDir() || info.Size() > MaxSource {
		return "", false
	}
	data, err := fs.ReadFile(files, name)
	return string(data), err == nil
}

// metalHeaders are the headers that come with Metal: those of which [MSL 4.0] says what they define, and others of its compilers, such as metal_assert.
var metalHeaders = strings.Fields(`
metal_array metal_assert metal_atomic metal_command_buffer metal_common metal_compute metal_config metal_cooperative_tensor
metal_extended_vector metal_geometric metal_graphics metal_imageblocks metal_initializer_list metal_integer metal_interpolate metal_iterator
metal_limits metal_logging metal_math metal_matrix metal_mesh metal_numeric metal_pack metal_packed_vector metal_quadgroup metal_raytracing
metal_relational metal_simdgroup metal_simdgroup_matrix metal_stdlib metal_tensor metal_tessellation metal_texture metal_tuple
metal_type_traits metal_types metal_uniform metal_utility metal_visible_function_table`)

// isMetalHeader knows the headers that come with Metal.
func isMetalHeader(target string) bool {
	switch target {
	case "simd/simd.h", "metal/metal.h", "TargetConditionals.h":
		return true
	}
	return slices.Contains(metalHeaders, strings.TrimPrefix(target, "metal/"))
}
