/** Errors for refused changes to badges. */
import { ApiError } from '#shared/engine/errors.ts';

export const tooManyBadges = (limit: number) =>
  new ApiError(409, `This project already has the maximum of ${limit} badges. Revoke one first`);
