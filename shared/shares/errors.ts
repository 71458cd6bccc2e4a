/** §5.3, §7 Refusals of shares and of requests that name a test by its words. */
import { ApiError } from '#shared/engine/errors.ts';

/** The same answer for every secret that opens nothing: unknown, expired, revoked, or of a deleted run. */
export const shareNotFound = () =>
  new ApiError(404, 'This link has ended, or it never existed. Ask the person who sent it for a new one');
export const tooManyShares = (limit: number) =>
  new ApiError(409, `This project already has ${limit} shares. Revoke some of them, or wait until they expire`);
export const sharesOff = () =>
  new ApiError(409, 'Your organization does not allow shares. Ask an Admin to allow them in the organization settings');
export const shareTooLong = (days: number) =>
  new ApiError(400, `Your organization allows shares of at most ${days} ${days === 1 ? 'day' : 'days'}`, {
    about: ['expiresInDays'],
  });
/** §7 The client repeats the request with an id of one of the candidates. */
export const ambiguousTarget = (what: string, candidates: readonly object[]) =>
  new ApiError(400, `Several ${what} match. Repeat the request with an id from one of the \`candidates\``, {
    code: 'ambiguous_target',
    body: { candidates },
  });
