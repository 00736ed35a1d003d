package mutants

import "gamma/model"

// libraries returns the mutants of kernels of the shape that those of public libraries have, by faults that some of these have or had.
func libraries() []Formula {
	const (
		softmax, scan, looped = "shaders/block.metal#softmax_block", "shaders/block.metal#cumsum_block", "shaders/online.metal#log_sum_exp_looped"
		product, sort         = "shaders/simdgroup.metal#product_simdgroup", "shaders/radix.metal#sort_digit"
		int8, int4            = "shaders/groups.metal#product_groups_int8", "shaders/groups.metal#product_groups_int4"
		barrier               = "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
	)
	safe, value, race, initial := kernelLaws(), laws{model.FormulaEnclosure}, laws{model.KernelRace}, laws{model.KernelInit}
	exact := laws{model.FormulaEnclosure, model.FormulaExact}
	racing := kernelLaws(model.KernelRace, model.KernelInit)
	return []Formula{
		altered("block_slots", softmax, "The sums of 32 simdgroups are added up, however few there are.", "g < groups; g += width) {\n            s +=", "g < 32; g += width) {\n            s +=",
			initial, kernelLaws(model.KernelInit, model.KernelBounds)),
		altered("block_no_barrier", softmax, "No barrier before the first simdgroup reads the sums of the others.", barrier+"    if (group == 0) {\n        float s", "if (group == 0) {\n        float s",
			race, racing),
		altered("block_zeros", softmax, "0 stands where a row has no number, and may be the greatest.", "+ i] : -INFINITY", "+ i] : 0.0f", value, safe),
		altered("looped_no_rescale", looped, "Sums of lanes are added without being brought to a common greatest number.", "dw_times_dw2(all.yz, power(all.x, m)).x", "all.y", value, safe),
		altered("looped_first_maximum", looped, "The greatest number of the first simdgroup is taken for that of each.", "float3(part[g], 0.0f)", "float3(part[0].x, part[g].y, 0.0f)", value, safe),
		altered("looped_no_barrier", looped, "No barrier before the first thread reads what other simdgroups found.", "float2(m, s);\n    }\n    "+barrier, "float2(m, s);\n    }\n", race, racing),
		altered("scan_own_twice", scan, "A thread adds its own sum to what stands before it.", "simd_shuffle_up(through, 1)", "through", value, safe),
		altered("scan_full_simdgroup", scan, "Only a full simdgroup leaves its sum.", "lane == width - 1 || j == threads - 1", "lane == width - 1", initial, kernelLaws(model.KernelInit)),
		altered("scan_no_carry", scan, "Each block begins at 0.", "float s = carry;", "float s = -0.0f;", value, safe),
		altered("scan_no_barrier", scan, "No barrier before the next block's sums replace what others still read.", "carry = part[groups];\n        "+barrier, "carry = part[groups];\n", race, racing),
		altered("matrix_layout", product, "Lane l is taken to hold elements 2(l%4) and 2(l%4)+1 of row l/4.", "simdgroup_store(sum, &tile[y][x], 16);",
			"tile[y + id % 32 / 4][x + id % 4 * 2] = sum.thread_elements()[0];\n    tile[y + id % 32 / 4][x + id % 4 * 2 + 1] = sum.thread_elements()[1];", value, safe),
		altered("matrix_transposed", product, "Matrices of b are read by columns.", "&right[0][x], 16)", "&right[0][x], 16, ulong2(0), true)", exact, safe),
		altered("matrix_edge", product, "Rows of a are read past their end, and multiplied by 0.", "i < m && depth < k ?", "i < m ?", laws{model.KernelBounds}, kernelLaws(model.KernelBounds, model.KernelInit)),
		altered("matrix_no_barrier", product, "No barrier between the tile's loads and the matrices'.", barrier+"        simdgroup_matrix<T, 8, 8> p;", "simdgroup_matrix<T, 8, 8> p;", race, racing),
		altered("groups_unsigned", int8, "Integers are read without their sign.", "device const char4* q", "device const uchar4* q", exact, safe),
		altered("groups_all_lanes", int8, "Lanes that a simdgroup lacks have groups, too.", "return min(width, threads - group * width);", "return width;", exact, safe),
		altered("groups_short", int8, "The last four numbers of each group are left out.", "i < 8; i++", "i < 7; i++", exact, safe),
		altered("nibble_top", int4, "The top bit of the upper numbers is lost.", "(both >> 4)", "(both >> 4 & 7)", exact, safe),
		altered("nibble_halves", int4, "Both numbers of a byte meet the same element.", "x[g * 8 + 4 + i]", "x[g * 8 + i + 0]", exact, safe),
		altered("nibble_rows", int4, "Rows begin a group apart.", "q[(row * k + g) * 4 + i]", "q[(row + g) * 4 + i]", exact, safe),
		altered("sort_turned", sort, "Lanes with the same digit put their numbers in the opposite order.", "popcount(same & ((1ul << lane) - 1))", "popcount(same >> lane) - 1", exact, safe),
		altered("sort_own_simdgroup", sort, "A simdgroup's own numbers are counted before it.", "g < group; g++", "g <= group; g++", exact, kernelLaws(model.KernelBounds, model.KernelInit, model.KernelRace)),
		altered("sort_absent_lanes", sort, "Lanes that a simdgroup lacks have votes, too.", "ulong(simd_ballot(some))", "~0ul", exact, kernelLaws(model.KernelBounds, model.KernelInit, model.KernelRace)),
		altered("sort_no_barrier", sort, "No barrier before the next numbers' counts replace what others still read.", barrier+"    }\n}", "}\n}", race, racing),
	}
}
