/** The claims of identity tokens, as far as they are read. */
import * as z from 'zod';
import { TRUSTED_CI_LIMITS } from './limits.ts';

/** Control characters and surrogates must not reach logs, table keys or the authorizer's context. */
const FORBIDDEN = /[\p{Cc}\p{Cs}]/u;
const text = z
  .string()
  .min(1)
  .max(TRUSTED_CI_LIMITS.nameCharacters)
  .refine((value) => !FORBIDDEN.test(value));
/** CI systems send numbers as texts, and some versions of GitLab as numbers. */
const number = z.union([z.string().regex(/^\d{1,20}$/), z.int().nonnegative().transform(String)]);
const sha = z.string().regex(/^(?:[\da-f]{40}|[\da-f]{64})$/);
/** What people only read is left out if it is odd. */
const note = text.optional().catch(undefined);

export const GithubClaims = z.object({
  repository: text.regex(/^[^/]+\/[^/]+$/),
  repository_id: number,
  repository_owner_id: number,
  run_id: number,
  run_attempt: number,
  ref: text,
  sha,
  event_name: text,
  /** Empty unless a pull request started the build. */
  head_ref: z.string().max(TRUSTED_CI_LIMITS.nameCharacters).optional(),
  environment: text.optional(),
  actor: note,
  job_workflow_ref: note,
});

export const GitlabClaims = z.object({
  project_path: text.regex(/^[^/]+(?:\/[^/]+)+$/),
  project_id: number,
  namespace_id: number,
  pipeline_id: number,
  job_id: number,
  ref: text,
  ref_type: text,
  ref_path: text.optional(),
  sha,
  pipeline_source: text,
  environment: text.optional(),
  user_login: note,
  ci_config_ref_uri: note,
});
