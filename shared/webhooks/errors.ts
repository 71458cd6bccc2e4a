/** §6 Errors of changing webhooks. */
import { ApiError } from '#shared/engine/errors.ts';

export const tooManyWebhooks = (limit: number) =>
  new ApiError(
    409,
    `This project already has the maximum of ${limit} webhooks. Delete a webhook, or change an existing one`,
  );
export const webhookDisabled = () =>
  new ApiError(409, 'This webhook is disabled. Enable it first. In the API, update it with `enabled: true`');
