/** §5.2 Errors about connections to issue trackers and about known issues. */
import { ApiError } from '#shared/engine/errors.ts';
import { ISSUE_LIMITS } from './limits.ts';
import type { TrackerProblem } from './trackers/tracker.ts';

/** The tracker may work again soon. Clients may repeat the request. */
const TRACKER_UNAVAILABLE = 'tracker_unavailable';
/** The tracker does not accept the request until somebody changes something. */
const TRACKER_REFUSED = 'tracker_refused';

const RETRY_SECONDS = 60;

/** Never 5xx, because the service itself works, and one organization's broken tracker must not alarm the operator. */
export function toClientError({ verdict, message, statusCode }: TrackerProblem): ApiError {
  switch (verdict.kind) {
    case 'failed':
      return trackerUnavailable(message, RETRY_SECONDS, statusCode === null ? ['apiUrl'] : []);
    case 'limited':
      return trackerUnavailable(message, verdict.retryAfterSeconds);
    case 'refused':
      return new ApiError(409, message, { code: TRACKER_REFUSED, about: [pickSettingToCorrect(statusCode)] });
    case 'missing':
      return new ApiError(404, message, { missing: 'Issue' });
    case 'invalid':
      return new ApiError(400, message, {
        code: TRACKER_REFUSED,
        ...(verdict.fields && { about: ['customFields'], body: { fields: verdict.fields } }),
      });
  }
}

/** The setting to correct: the address if there was no response, a redirect or a 404, otherwise the token. */
function pickSettingToCorrect(statusCode: number | null): 'apiUrl' | 'token' {
  const isElsewhere = statusCode === null || (statusCode >= 300 && statusCode < 400) || statusCode === NOT_FOUND;
  return isElsewhere ? 'apiUrl' : 'token';
}

const NOT_FOUND = 404;

const trackerUnavailable = (message: string, seconds: number, about: readonly string[] = []) =>
  new ApiError(409, message, { code: TRACKER_UNAVAILABLE, headers: { 'Retry-After': String(seconds) }, about });

export const credentialGone = () =>
  new ApiError(
    409,
    'The stored credential of this connection no longer exists. Ask an Admin to enter it again under Issue trackers',
    {
      code: TRACKER_REFUSED,
    },
  );
export const issueInProgress = () =>
  trackerUnavailable(
    'Another request is creating an issue for this failure, or got no response from the tracker. Try again in a minute to get the same issue',
    ISSUE_LIMITS.draftMilliseconds / 1000,
  );
export const tooManyIntegrations = (limit: number) =>
  new ApiError(
    409,
    `The organization already has the maximum of ${limit} connections to issue trackers. Remove one first`,
  );
export const tooManyIssues = (limit: number) =>
  new ApiError(409, `This project already has the maximum of ${limit} linked issues. Unlink some of them first`);
export const tooManyIssuesOfTest = (limit: number) =>
  new ApiError(409, `This test already has the maximum of ${limit} linked issues. Unlink some of them first`);

/** Whether the tracker may work again, or another request about the failure may end. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof ApiError && error.details.code === TRACKER_UNAVAILABLE;
/** Whether nothing succeeds until somebody changes the connection. */
export const isRefused = (error: ApiError): boolean =>
  error.statusCode === 409 && error.details.code === TRACKER_REFUSED;
export const automationChanged = () =>
  new ApiError(
    409,
    'Somebody else changed the issue settings after you opened this page. The page now shows the current settings. Make your changes again',
  );
