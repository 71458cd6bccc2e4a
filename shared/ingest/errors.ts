/** Refusals of results. */
import { ApiError } from '#shared/engine/errors.ts';

export const tooManyTests = (limit: number) =>
  new ApiError(400, `A spec file has at most ${limit} tests of one group. Split the file`);
