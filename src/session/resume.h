/* SPDX-License-Identifier: MIT */
/*
 * Another recorder can take the place of one that was killed: nothing that programs have committed
 * is lost, and nothing is recorded twice.
 *
 * How far the records of a chunk are in the file is in a file next to the session's,
 * GENERATION.POOL in the directory of sessions, which outlives the recorder: for each chunk its
 * position before the block that is being filled, the number of that block, and the position in it.
 * Which blocks have been written is in a file of the recorder's name, NAME.kept~ in the directory
 * of recorders. It also says where a block that is being written ends: if the file is as long as
 * that, the block is in it. A chunk is freed for writers after its last block was written.
 */
#ifndef SESSION_RESUME_H
#define SESSION_RESUME_H

#include "session/internal.h"

struct session_resume;

/* Opens the file of the session's name, and finds out what a killed recorder has written. Returns
 * 0; EBUSY a recorder of the name lives; or an errno code of the system. */
int session_resume_open(struct cairn_session *session, const char *name);

/* The session writes to this file. Another one of it is in the same directory. Returns 0 or an
 * errno code. */
int session_resume_output(struct cairn_session *session, int fd);

/* Closes it; removes it if the session has ended. */
void session_resume_close(struct cairn_session *session, bool has_ended);

/* ---- directories ---- */

/* Takes the place of a killed recorder in a directory. Returns 0; ENOENT there is none, or its
 * session has ended; or an error after which it can be tried again. */
int session_resume_directory(struct cairn_session *session, struct session_directory *directory);

/* Makes the session of a directory one that can be resumed: before it begins, and after that. There
 * is space for RESUME_DIRECTORIES_MAX; others are recorded nevertheless. */
void session_resume_note(struct cairn_session *session, const struct session_directory *directory);

/* A directory was removed: another one can be noted in its place. */
void session_resume_forget(struct cairn_session *session,
                           const struct session_directory *directory);

/* ---- pools ---- */

/* Finds how far a pool was read. Returns 0 or an errno code. */
int session_resume_pool(struct cairn_session *session, struct session_pool *pool, const char *name);

/* Nothing is left to be read from a pool; also one that was not opened. */
void session_resume_remove_pool(struct session_pool *pool);
void session_resume_free_pool(struct session_pool *pool);

/* The records of a chunk are in the block that is being filled, or before, up to a position. */
void session_resume_position(struct cairn_session *session, struct session_pool *pool,
                             uint32_t chunk, uint64_t sequence, uint32_t position);

/* A chunk was copied to its end: it is freed when the block has been written. */
void session_resume_hold(struct cairn_session *session, struct session_pool *pool, uint32_t chunk);

/* Frees the chunks whose blocks have been written; with many of them waiting, the block is written
 * now. */
void session_resume_free_chunks(struct cairn_session *session, struct session_pool *pool);
void session_resume_limit(struct cairn_session *session, struct session_pool *pool);

/* ---- blocks ---- */

/* A block is about to be written, to this end of the file; after session_resume_prepare. */
void session_resume_prepare(struct session_resume *resume);
void session_resume_note_end(void *context, int fd, uint64_t end);

/* Or could not be. */
void session_resume_written(struct session_resume *resume, int error);

/* Writes the block that is being filled. */
void session_resume_flush(struct cairn_session *session);

/* After a poll: what had no events needs no block. */
void session_resume_end_poll(struct cairn_session *session);

#endif
