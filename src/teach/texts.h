/* SPDX-License-Identifier: MIT */
/* texts.h: files of lessons/, compiled in by tools/embed_text */
#pragma once

extern const char psim_lesson_one_microbatch[];
extern const char psim_lesson_fill_and_drain[];
extern const char psim_lesson_gpipe_bubble[];
extern const char psim_lesson_activation_memory[];
extern const char psim_lesson_same_bubble[];
extern const char psim_lesson_interleaving[];
extern const char psim_lesson_zero_bubble[];
extern const char psim_lesson_tensor_parallel[];
extern const char psim_lesson_layout_530b[];
extern const char psim_lesson_zero[];
extern const char psim_lesson_textbook_mistakes[];
