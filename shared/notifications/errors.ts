/** Errors of requests about notifications. */
import { ApiError } from '#shared/engine/errors.ts';

/** A disabled notification sends nothing, not even a test message. */
export const notificationDisabled = () =>
  new ApiError(409, 'This notification is disabled. Enable it first, then test it');
