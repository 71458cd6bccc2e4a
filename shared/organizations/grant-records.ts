/** §5.3 The audit records for the beginning and the end of an application's access. */
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import type { ListedGrant } from '#shared/model/oauth/oauth-grant.ts';

const NAME_CHARACTERS = 64;

/** The name of an application. Clients choose their own name, so it is shortened to one visible line. */
const formatApplicationName = ({ clientId, clientName = clientId }: ListedGrant): string =>
  takeFirstCharacters(makeVisibleLine(clientName), NAME_CHARACTERS);

export function makeDisconnectionRecord(grant: ListedGrant, cause?: string) {
  const name = formatApplicationName(grant);
  return {
    action: 'application disconnected',
    subject: grant.hash,
    label: name,
    detail: cause === undefined ? name : `${name}: ${cause}`,
  } as const;
}

export function makeConnectionRecord(grant: ListedGrant) {
  const name = formatApplicationName(grant);
  const place = new URL(grant.resource).pathname === '/mcp' ? 'MCP' : 'API';
  return {
    action: 'application connected',
    subject: grant.hash,
    label: name,
    detail: `${name} at ${place}: ${grant.scopes.join(' ')}`,
  } as const;
}
