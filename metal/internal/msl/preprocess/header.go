package preprocess

import (
	"path"
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
	key, ok := p.findHeader(target, quoted)
	switch {
	case !ok && isMetalHeader(target):
	case !ok:
		p.errorf(pos, "there is no header %.60q; add its text to the headers of the compilation", target)
	case p.once[key]:
	default:
		if word == "import" {
			p.once[key] = true
		}
		p.enter(p.opts.Headers[key], key, key, pos)
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

// findHeader returns the key of the header that target names.
func (p *processor) findHeader(target string, quoted bool) (string, bool) {
	if quoted && !path.IsAbs(target) {
		key := path.Join(path.Dir(p.f.key), target)
		if _, ok := p.opts.Headers[key]; ok {
			return key, true
		}
	}
	for _, key := range []string{target, path.Clean(target)} {
		if _, ok := p.opts.Headers[key]; ok {
			return key, true
		}
	}
	return "", false
}

// isMetalHeader knows the headers that come with Metal.
func isMetalHeader(target string) bool {
	switch target {
	case "simd/simd.h", "metal/metal.h", "TargetConditionals.h":
		return true
	}
	target = strings.TrimPrefix(target, "metal/")
	return strings.HasPrefix(target, "metal_") && len(target) > len("metal_") && !strings.ContainsAny(target, "/. ")
}
