/** §4.4.11 Errors of rules, which the API calls actions. */
import { ApiError } from '#shared/engine/errors.ts';

export const patternTooSlow = () =>
  new ApiError(400, 'The regular expressions take too long to match the tests of this project. Use simpler ones');
export const tooManyRules = (limit: number) =>
  new ApiError(409, `This project already has the maximum of ${limit} actions. Archive one that you no longer need`);
/** The total size of active rules is limited, because runners read all of them in one response. */
export const rulesTooLarge = () =>
  new ApiError(
    409,
    'The active actions of this project are too large in total. Disable or archive some, or shorten their conditions',
  );
export const ruleTooLong = () =>
  new ApiError(
    409,
    'The conditions of this action have too many values. Edit it, or create another action for the test',
  );
export const ruleArchived = () =>
  new ApiError(409, 'This action is archived and cannot be changed. Create a new one instead');
