/** §5.2 The settings of a connection to an issue tracker, as somebody enters them, and what they must be. */

import { invalidRequest } from '#shared/engine/errors.ts';
import { trimFinalSlashes } from '#shared/engine/plain-text.ts';
import type { Integration } from '#shared/model/issues/integration.ts';
import { parseName } from '#shared/organizations/name-inputs.ts';
import { findUrlProblem } from '#shared/sending/url-rules.ts';
import type { Services } from '#shared/services.ts';
import { ISSUE_LIMITS } from './limits.ts';

export interface IntegrationSettings extends Pick<Integration, 'kind' | 'name' | 'apiUrl' | 'account' | 'projectIds'> {
  /** If it is missing, the stored credential is kept. */
  readonly token: string | undefined;
}

/** The format of a token: visible ASCII characters, because it is sent in a header. */
const TOKEN = /^[\u0021-\u007e]+$/;
const ACCOUNT = /^[^\s:@]+@[^\s:@]+$/;

/** Returns the settings in their stored form. Throws 400 if they are invalid. Sends no request to the tracker. */
export function checkIntegrationSettings(
  settings: IntegrationSettings,
  services: Pick<Services, 'privateReceivers'>,
): IntegrationSettings {
  const name = parseName('The name of a connection', settings.name, { characters: ISSUE_LIMITS.nameCharacters });
  if (settings.apiUrl.includes('?'))
    throw invalidRequest('The address contains a query string. Enter it without one', ['apiUrl']);
  const problem = findUrlProblem(settings.apiUrl, services);
  if (problem !== undefined) throw invalidRequest(problem, ['apiUrl']);
  if (settings.token !== undefined && !TOKEN.test(settings.token))
    throw invalidRequest('The token is invalid. Enter it without spaces, line breaks or non-ASCII characters', [
      'token',
    ]);
  if (settings.account !== undefined && !ACCOUNT.test(settings.account))
    throw invalidRequest('Enter the email address of the account that owns the API token', ['account']);
  return { ...settings, name, apiUrl: trimFinalSlashes(settings.apiUrl) };
}

/** Otherwise, an Admin could send a stored credential to a server of their own and read it there. */
export function refuseNewPlace(settings: IntegrationSettings, storedIntegration: Integration | undefined): void {
  if (storedIntegration === undefined || settings.token !== undefined) return;
  if (
    settings.kind !== storedIntegration.kind ||
    settings.apiUrl !== storedIntegration.apiUrl ||
    settings.account !== storedIntegration.account
  )
    throw invalidRequest(
      'The stored token is used only with the address and account for which it was saved. Enter the token again',
      ['token'],
    );
}
