/** §5.3 Errors about shares. */
import { ApiError } from '#shared/engine/errors.ts';

/** The response is the same for every invalid secret: unknown, expired, revoked, or of a deleted run. */
export const shareNotFound = () =>
  new ApiError(404, 'This link does not work. It may have expired or been revoked. Ask the sender for a new one');
export const tooManyShares = (limit: number) =>
  new ApiError(
    409,
    `This project already has the maximum of ${limit} shares. Revoke some of them, or wait until they expire`,
  );
export const sharesOff = () =>
  new ApiError(
    409,
    'Your organization does not allow shares. Ask an Admin to allow them under Sharing and AI in the dashboard',
  );
export const shareTooLong = (days: number) =>
  new ApiError(
    400,
    `Your organization allows shares to be valid for at most ${days} ${days === 1 ? 'day' : 'days'}. Choose a shorter time`,
    { about: ['expiresInDays'] },
  );
