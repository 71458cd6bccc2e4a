/** §5.3 The audit records for the beginning and the end of an application's access. */
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import type { ListedGrant } from '#shared/model/oauth/oauth-grant.ts';

const NAME_CHARACTERS = 64;

/** The name of an application. Clients choose their own name, so it is shortened to one visible line. */
const formatApplicationName = ({ clientId, clientName = clientId }: ListedGrant): string =>
  takeFirstCharacters(makeVisibleLine(clientName), NAME_CHARACTERS);

export function makeDisconnectionRecord(grant: ListedGrant, cause?: string) {
  const detail = cause === undefined ? formatApplicationName(grant) : `${formatApplicationName(grant)}: ${cause}`;
  return {
    action: 'application disconnected',
    subject: grant.hash,
    label: formatApplicationName(grant),
    detail,
  } as const;
}

export const makeConnectionRecord = (grant: ListedGrant) =>
  ({
    action: 'application connected',
    subject: grant.hash,
    label: formatApplicationName(grant),
    detail: `${formatApplicationName(grant)} at ${new URL(grant.resource).pathname === '/mcp' ? 'MCP' : 'API'}: ${grant.scopes.join(' ')}`,
  }) as const;
