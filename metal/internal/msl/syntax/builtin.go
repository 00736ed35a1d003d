package syntax

import (
	"strconv"
	"strings"
	"sync"
)

// builtins returns the scope around every file: Metal's own names, both bare and within metal.
var builtins = sync.OnceValue(func() *scope {
	s := &scope{names: make(map[string]symbol)}
	set := func(words string, sym symbol) {
		for _, w := range strings.Fields(words) {
			s.names[w] = sym
		}
	}
	shared := map[string]symbol{} // vectors and matrices
	scalars := strings.Fields(`bool char uchar short ushort int uint long ulong float half bfloat double
		int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t size_t ptrdiff_t`)
	for _, t := range scalars {
		s.names[t] = symbol{typ: true}
		if strings.HasSuffix(t, "_t") {
			continue
		}
		for n := 2; n <= 4; n++ {
			s.names[t+strconv.Itoa(n)] = symbol{typ: true}
			s.names["packed_"+t+strconv.Itoa(n)] = symbol{typ: true}
			shared[t+strconv.Itoa(n)] = symbol{typ: true}
		}
	}
	for _, t := range []string{"float", "half", "bfloat", "simdgroup_float", "simdgroup_half", "simdgroup_bfloat"} {
		for c := 2; c <= 8; c++ {
			for r := 2; r <= 8; r++ {
				if (c <= 4 && r <= 4) != strings.HasPrefix(t, "simdgroup") && (c <= 4 || c == r) {
					name := t + strconv.Itoa(c) + "x" + strconv.Itoa(r)
					s.names[name] = symbol{typ: true}
					if c <= 4 {
						shared[name] = symbol{typ: true}
					}
				}
			}
		}
	}
	set(`void bfloat16_t float16_t nullptr_t
		atomic_int atomic_uint atomic_bool atomic_float atomic_ulong
		memory_order mem_flags thread_scope os_log sampler true_type false_type _fp_numeric_limits_impl_base`, symbol{typ: true})
	set(`atomic vec packed_vec array matrix numeric_limits simdgroup_matrix array_ref
		texture1d texture1d_array texture2d texture2d_array texture3d texturecube texturecube_array texture_buffer
		depth2d depth2d_array depthcube texture2d_ms depth2d_ms visible_function_table intersection_function_table
		is_same enable_if enable_if_t conditional conditional_t integral_constant bool_constant
		is_floating_point is_integral is_arithmetic is_signed is_unsigned is_scalar is_enum is_class is_union
		is_void is_const is_volatile is_pointer is_reference is_array is_base_of is_convertible is_constructible
		is_trivially_copyable is_empty is_fundamental is_object is_compound is_vector is_function
		remove_const remove_const_t remove_volatile remove_volatile_t remove_cv remove_cv_t
		remove_reference remove_reference_t remove_pointer remove_pointer_t remove_extent remove_extent_t
		add_const add_const_t add_volatile add_volatile_t add_cv add_cv_t add_pointer add_pointer_t
		add_lvalue_reference add_lvalue_reference_t add_rvalue_reference add_rvalue_reference_t
		make_signed make_signed_t make_unsigned make_unsigned_t make_scalar make_scalar_t make_vector make_vector_t
		decay decay_t common_type common_type_t underlying_type underlying_type_t result_of result_of_t
		conjunction disjunction negation rank extent
		is_lvalue_reference is_rvalue_reference vec_elements
		_conjunction _disjunction _negation _make_scalar_impl _numeric_limits_impl _fp_encoding_traits
		tuple pair tuple_size tuple_element tuple_element_t uniform`, symbol{typ: true, template: true})
	set(`is_same_v is_floating_point_v is_integral_v is_arithmetic_v is_signed_v is_unsigned_v is_scalar_v
		is_enum_v is_class_v is_union_v is_void_v is_const_v is_volatile_v is_pointer_v is_reference_v is_array_v
		is_base_of_v is_convertible_v is_constructible_v is_trivially_copyable_v is_empty_v is_fundamental_v
		is_object_v is_compound_v is_vector_v is_function_v rank_v extent_v
		conjunction_v disjunction_v negation_v tuple_size_v is_lvalue_reference_v is_rvalue_reference_v
		as_type select get make_tuple make_pair move forward declval swap
		make_filled_simdgroup_matrix simdgroup_load simdgroup_store simdgroup_multiply simdgroup_multiply_accumulate
		abs acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh cospi divide exp exp10 exp2 fabs fdim floor
		fma fmax fmax3 fmedian3 fmin fmin3 fmod fract frexp ilogb isfinite isinf isnan isnormal isordered isunordered
		ldexp log log10 log2 max max3 median3 min min3 mix modf nextafter pow powr rint round rsqrt saturate sign
		signbit sin sincos sinh sinpi smoothstep sqrt step tan tanh tanpi trunc clamp
		absdiff addsat clz ctz extract_bits hadd insert_bits mad24 madhi madsat mul24 mulhi popcount reverse_bits
		rhadd rotate subsat all any cross distance distance_squared dot length length_squared normalize
		determinant transpose
		simd_sum simd_product simd_min simd_max simd_and simd_or simd_xor simd_shuffle simd_shuffle_up
		simd_shuffle_down simd_shuffle_xor simd_broadcast simd_broadcast_first simd_prefix_inclusive_sum
		simd_prefix_exclusive_sum simd_prefix_inclusive_product simd_prefix_exclusive_product
		simd_shuffle_and_fill_up simd_shuffle_and_fill_down simd_shuffle_rotate_up simd_shuffle_rotate_down
		quad_sum quad_product quad_min quad_max quad_shuffle quad_shuffle_xor quad_broadcast
		atomic_load_explicit atomic_store_explicit atomic_exchange_explicit atomic_fetch_add_explicit
		atomic_fetch_sub_explicit atomic_fetch_and_explicit atomic_fetch_or_explicit atomic_fetch_xor_explicit
		atomic_fetch_min_explicit atomic_fetch_max_explicit atomic_compare_exchange_weak_explicit`,
		symbol{template: true})
	s.share(shared)
	s.setRefused()
	metal := &scope{names: make(map[string]symbol, len(s.names)), parent: s}
	for _, name := range []string{"simd_vote", "quad_vote"} {
		members := &scope{parent: metal, owner: name, names: map[string]symbol{"vote_t": {typ: true}, "any": {}, "all": {}}}
		s.names[name] = symbol{typ: true, members: members}
	}
	samplers(s, metal)
	for name, sym := range s.names {
		metal.names[name] = sym
	}
	for _, name := range []string{"precise", "fast"} {
		inner := &scope{parent: metal, uses: []*scope{metal}}
		metal.names[name] = symbol{space: true, members: inner}
		s.names[name] = metal.names[name]
	}
	others(s, metal)
	s.names["metal"] = symbol{space: true, members: metal}
	return s
})

// share sets the names of simd/simd.h for vectors and matrices.
func (s *scope) share(shared map[string]symbol) {
	s.names["simd"] = symbol{space: true, members: &scope{parent: s, names: shared}}
	for name := range shared {
		for _, prefix := range strings.Fields("simd_ vector_ matrix_") {
			s.names[prefix+name] = symbol{typ: true}
		}
	}
}

// setRefused sets the names of features that the checker refuses by name, so that it is asked.
func (s *scope) setRefused() {
	set := func(words string, sym symbol) {
		for w := range strings.FieldsSeq(words) {
			s.names[w] = sym
		}
	}
	set(`imageblock_layout_implicit imageblock_layout_explicit mesh_grid_properties topology command_buffer compute_command render_command
		compute_pipeline_state render_pipeline_state tensor_inline tensor_handle tensor_offset`, symbol{typ: true})
	set(`r8unorm r8snorm r16unorm r16snorm rg8unorm rg8snorm rg16unorm rg16snorm rgba8unorm srgba8unorm rgba8snorm rgba16unorm rgba16snorm
		rgb10a2 rg11b10f rgb9e5 imageblock imageblock_slice mesh patch_control_point interpolant tensor dextents extents cooperative_tensor`,
		symbol{typ: true, template: true})
}

// samplerWords are the enumerations of textures and samplers with their enumerators, which are no types in a sampler's arguments.
var samplerWords = func() map[string]string {
	m := map[string]string{
		"access": "sample read write read_write", "coord": "normalized pixel", "mip_filter": "none nearest linear",
	}
	for _, name := range []string{"address", "s_address", "t_address", "r_address"} {
		m[name] = "clamp_to_zero clamp_to_edge clamp_to_border repeat mirrored_repeat"
	}
	for _, name := range []string{"filter", "mag_filter", "min_filter"} {
		m[name] = "nearest linear bicubic"
	}
	return m
}()

// samplers sets the names of samplerWords. As a type a source names access alone; the other names are also those of variables.
func samplers(s, metal *scope) {
	for name, items := range samplerWords {
		members := &scope{parent: metal, owner: name, names: map[string]symbol{}}
		for item := range strings.FieldsSeq(items) {
			members.names[item] = symbol{}
		}
		s.names[name] = symbol{typ: name == "access", members: members}
	}
}

// others sets the namespaces of features that the checker refuses by name.
func others(s, metal *scope) {
	raytracing := namespaceOf(metal, `ray instance_acceleration_structure primitive_acceleration_structure triangle_data instancing
		world_space_data primitive_motion instance_motion extended_limits curve_data intersection_params intersection_type geometry_type
		opacity triangle_cull_mode`,
		`intersector intersection_result intersection_query intersection_function_table acceleration_structure max_levels`)
	metal.names["raytracing"] = raytracing
	s.names["raytracing"] = raytracing
	tensorOps := namespaceOf(s, "matmul2d_descriptor convolution2d_descriptor execution_thread execution_simdgroup",
		"matmul2d convolution2d execution_simdgroups execution_threads")
	s.names["mpp"] = symbol{space: true, members: &scope{parent: s, names: map[string]symbol{"tensor_ops": tensorOps}}}
}

// namespaceOf returns a namespace of types, and of templates of types.
func namespaceOf(parent *scope, types, templates string) symbol {
	in := &scope{parent: parent}
	for _, w := range strings.Fields(types) {
		in.set(w, symbol{typ: true})
	}
	for _, w := range strings.Fields(templates) {
		in.set(w, symbol{typ: true, template: true})
	}
	return symbol{space: true, members: in}
}

// coreWords are the keywords that make up the types of the C core.
var coreWords = map[string]bool{
	"bool": true, "char": true, "short": true, "int": true, "long": true, "signed": true, "unsigned": true,
	"float": true, "double": true, "void": true,
}

// coreTypes names a sorted set of coreWords.
var coreTypes = map[string]string{
	"bool": "bool", "float": "float", "double": "double", "void": "void", "double long": "long double",
	"char": "char", "char signed": "char", "char unsigned": "uchar",
	"short": "short", "short signed": "short", "int short": "short", "int short signed": "short",
	"short unsigned": "ushort", "int short unsigned": "ushort",
	"int": "int", "signed": "int", "int signed": "int", "unsigned": "uint", "int unsigned": "uint",
	"long": "long", "long signed": "long", "int long": "long", "int long signed": "long",
	"long unsigned": "ulong", "int long unsigned": "ulong",
	"long long": "long long", "long long signed": "long long", "int long long": "long long",
	"int long long signed": "long long",
	"long long unsigned":   "unsigned long long", "int long long unsigned": "unsigned long long",
}
