/** Translates an answer of GitHub's REST API into the outcome of a delivery. */
import { beginningOf, visibleLine } from '#shared/engine/plain-text.ts';
import { Ended } from '#shared/notifications/ended.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { isSuccess, type ReceiverAnswer } from '#shared/sending/answer.ts';
import { GithubRefusal } from './github-wire.ts';

/** Returns `undefined` for a success. `does`: the purpose of the request. */
export function problemOfAnswer(answer: ReceiverAnswer, does: string, now: number): Ended | undefined {
  const { statusCode, error } = answer;
  if (error === null) return undefined;
  if (statusCode === null || isSuccess(statusCode)) return new Ended({ kind: 'failed' }, error, statusCode);
  const said = saidBy(answer);
  const ended = (verdict: Ended['verdict'], problem: string) =>
    new Ended(verdict, `${problem} (${does}: ${statusCode}${said ? ` ${said}` : ''})`, statusCode);
  const retryAfter = pauseAfter(answer, said, now);
  if (retryAfter !== undefined)
    return ended({ kind: 'failed', retryAfter, pauses: true }, "GitHub's rate limit is reached");
  return ended({ kind: KINDS[statusCode] ?? kindOf(statusCode) }, TEXTS[statusCode] ?? 'GitHub refused the request');
}

type Kind = 'failed' | 'refused' | 'pointless';

const KINDS: Readonly<Record<number, Kind>> = {
  401: 'refused',
  403: 'refused',
  404: 'refused',
  408: 'failed',
  // 410 and 422: the commit was not pushed, or the pull request is locked. Other runs are not affected.
  410: 'pointless',
  422: 'pointless',
};

/** Redirects are refusals, too: GitHub redirects from the old name of a repository, and redirects are not followed. */
const kindOf = (statusCode: number): Kind => (statusCode >= 500 ? 'failed' : 'refused');

const TEXTS: Readonly<Record<number, string>> = {
  301: 'The repository was renamed. Save its new name',
  302: 'The API address redirects to another page, such as a sign-in page. Correct it',
  303: 'The API address redirects to another page, such as a sign-in page. Correct it',
  307: 'The repository was renamed. Save its new name',
  308: 'The repository was renamed. Save its new name',
  401: 'GitHub does not accept the token. Replace it',
  403: 'The token lacks a permission. It needs to write commit statuses and pull requests',
  404: 'The repository does not exist, or the token has no access to it. Correct one of them',
  410: 'GitHub accepts no more writes here',
  422: 'GitHub does not know the commit, or refuses the text',
};

/** The pause in seconds if the answer is a rate limit: 429, or 403 with one of two headers or only a message. */
function pauseAfter(
  { statusCode, retryAfter, headers = {} }: ReceiverAnswer,
  said: string,
  now: number,
): string | undefined {
  if (statusCode !== 403 && statusCode !== 429) return undefined;
  if (retryAfter !== undefined) return retryAfter;
  const reset = Number(headers['x-ratelimit-reset']);
  if (headers['x-ratelimit-remaining'] === '0' && reset > 0) return String(Math.max(1, Math.ceil(reset - now / 1000)));
  return statusCode === 429 || /rate limit|abuse/i.test(said)
    ? String(NOTIFICATION_LIMITS.secondaryLimitSeconds)
    : undefined;
}

/** GitHub's own message. It is untrusted text, so it is shortened, made visible and put on one line. */
function saidBy({ text }: ReceiverAnswer): string {
  try {
    const { message } = GithubRefusal.parse(JSON.parse(text ?? ''));
    return visibleLine(beginningOf(message, NOTIFICATION_LIMITS.messageCharacters));
  } catch {
    return '';
  }
}
