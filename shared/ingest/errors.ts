/** Errors for results that are refused. */
import { ApiError } from '#shared/engine/errors.ts';

export const tooManyTests = (limit: number) =>
  new ApiError(400, `A spec file can have at most ${limit} tests per group. Split the file`);
