/** §7 Errors of requests that do not identify exactly one run, spec file or test. */
import { ApiError } from '#shared/engine/errors.ts';

export const ambiguousTarget = (what: string, candidates: readonly object[]) =>
  new ApiError(400, `Several ${what} match. Repeat the request with an id from one of the \`candidates\``, {
    code: 'ambiguous_target',
    body: { candidates },
  });
