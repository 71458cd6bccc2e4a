/** §5.3 The audit records for the beginning and the end of an application's access. */
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import type { ListedGrant } from '#shared/model/organizations/oauth-grant.ts';

const NAME_CHARACTERS = 64;

/** The name of an application. Clients choose their own name, so it is shortened to one visible line. */
const nameOf = ({ clientId, clientName = clientId }: ListedGrant): string =>
  takeFirstCharacters(makeVisibleLine(clientName), NAME_CHARACTERS);

export function disconnectionOf(grant: ListedGrant, cause?: string) {
  const detail = cause === undefined ? nameOf(grant) : `${nameOf(grant)}: ${cause}`;
  return { action: 'application disconnected', subject: grant.hash, label: nameOf(grant), detail } as const;
}

export const connectionOf = (grant: ListedGrant) =>
  ({
    action: 'application connected',
    subject: grant.hash,
    label: nameOf(grant),
    detail: `${nameOf(grant)} at ${new URL(grant.resource).pathname === '/mcp' ? 'MCP' : 'API'}: ${grant.scopes.join(' ')}`,
  }) as const;
