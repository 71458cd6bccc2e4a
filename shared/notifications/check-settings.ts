/** Refuses settings with which no notification could ever arrive. */
import { invalidRequest } from '#shared/engine/errors.ts';
import { withoutEnd } from '#shared/engine/plain-text.ts';
import { problemOfUrl } from '#shared/sending/url-rules.ts';
import type { Services } from '#shared/services.ts';
import { CHANNELS } from './channels.ts';
import type { NotificationSettings } from './settings-wire.ts';

type Policy = Pick<Services, 'privateReceivers'>;
type OfGithub = Extract<NotificationSettings, { readonly kind: 'github' }>;
type OfChannel = Exclude<NotificationSettings, OfGithub>;

/** Returns the settings in their stored form. Throws 400 if no notification could arrive with them. */
export function checkedSettings(given: NotificationSettings, policy: Policy): NotificationSettings {
  const problem = problemOf(given, policy);
  if (problem !== undefined) throw invalidRequest(problem);
  return given.kind === 'github' ? { ...given, apiUrl: withoutEnd(given.apiUrl, '/') } : given;
}

function problemOf(given: NotificationSettings, policy: Policy): string | undefined {
  return given.kind === 'github' ? problemOfGithub(given, policy) : problemOfChannel(given, policy);
}

const REPOSITORY = /^[a-z\d](?:[a-z\d-]{0,38})\/(?!\.{1,2}$)[\w.-]{1,100}$/i;
/** A credential goes into a header, so it has no spaces and no line breaks. */
const TOKEN = /^[\u0021-\u007e]+$/;

function problemOfGithub({ apiUrl, repository, sendsStatus, comments, credential }: OfGithub, policy: Policy) {
  if (!REPOSITORY.test(repository)) return 'The repository is invalid. Send its owner and name, such as acme/shop';
  if (!sendsStatus && !comments)
    return 'The notification would never send anything. Choose commit statuses, comments or both';
  if (credential !== undefined && !TOKEN.test(credential))
    return 'The token is invalid. Send it without spaces and line breaks';
  if (apiUrl.includes('?'))
    return 'The API address contains a query string. Send it without one, such as https://api.github.com';
  const problem = problemOfUrl(apiUrl, policy);
  return problem && `${problem} (API address)`;
}

/** The message must not repeat the address, which is a secret. */
function problemOfChannel({ kind, credential }: OfChannel, policy: Policy): string | undefined {
  if (credential === undefined) return undefined;
  const problem = problemOfUrl(credential, policy);
  return problem && `The webhook address is invalid. ${CHANNELS[kind].advice}`;
}
