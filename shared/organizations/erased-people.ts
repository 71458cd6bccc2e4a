/** Asks for the erasure of a person, and lists erasures. `shared/erasure` does the work. */
import { formatActorName } from '#shared/access/actor.ts';
import { conflict } from '#shared/engine/errors.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { dueErasures } from '#shared/model/due.ts';
import {
  computeCode,
  digestAddress,
  digestName,
  type Erasure,
  type ErasureKey,
  erasedAuthors,
  erasureKeys,
  erasures,
  getErasuresSpan,
  makePseudonym,
} from '#shared/model/organizations/erasure.ts';
import { limitCommitText } from '#shared/model/runs/commit.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeOrganization } from './change.ts';
import { parseEmailAddress } from './create-account.ts';
import { stillMember } from './errors.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import { findAddressHolders } from './members-by-address.ts';
import { authorizeRead, type OrganizationRequest } from './standing.ts';

export interface ErasureRequest extends OrganizationRequest {
  readonly email: string;
  /** Names in commits without an address, which would otherwise stay. */
  readonly names?: readonly string[] | undefined;
}

/**
 * From here on, recordings get the pseudonym. The sweep replaces what is stored. A repeated request starts the work
 * again, for example because a restored table brought a name back.
 */
export function requestErasure(services: CoreServices, request: ErasureRequest): Promise<Erasure> {
  const { organizationId, actor } = request;
  const { table, now } = services;
  return changeOrganization(services, { ...request, action: 'people:erase' }, async () => {
    const address = parseEmailAddress(request.email);
    const names = (request.names ?? [])
      .map((name) => limitCommitText(name.trim()))
      .slice(0, ORGANIZATION_LIMITS.erasedNames);
    const { isMember } = await findAddressHolders(services, { organizationId, email: address });
    if (isMember) throw stillMember(address);
    const key = await ensureErasureKey(services, organizationId);
    const code = computeCode(key, address);
    const earlierErasure = await table.get(erasures, { organizationId, code }, { consistent: true });
    if (earlierErasure?.search) return { result: earlierErasure };
    const startedAt = now();
    const erasure: Erasure = {
      organizationId,
      code,
      startedAt,
      startedBy: formatActorName(actor),
      search: { address, names, foundNames: [] },
      pass: 0,
      runs: 0,
      left: 0,
    };
    const digests = new Set([digestAddress(key, address), ...names.map((name) => digestName(key, name))]);
    const pseudonym = makePseudonym(code);
    return {
      result: erasure,
      writes: [
        put(erasures, erasure, earlierErasure ? expectSameValues(earlierErasure, 'startedAt') : ABSENT),
        ...[...digests].map((digest) => put(erasedAuthors, { organizationId, digest, code })),
        put(dueErasures, { organizationId, code, dueAt: startedAt }),
      ],
      record: { action: 'person erased', subject: pseudonym.address, detail: pseudonym.name },
    };
  });
}

const KEY_CHARACTERS = 64;

async function ensureErasureKey({ table, randomId }: CoreServices, organizationId: string): Promise<ErasureKey> {
  const storedKey = await table.get(erasureKeys, { organizationId }, { consistent: true });
  if (storedKey) return storedKey;
  const outcome = await table.put(erasureKeys, { organizationId, secret: randomId(KEY_CHARACTERS) }, ABSENT);
  if (outcome.item) return outcome.item;
  throw conflict('The data');
}

/** Newest first. */
export async function listErasures(services: CoreServices, request: OrganizationRequest): Promise<Erasure[]> {
  await authorizeRead(services, request, 'people:erase');
  const all = await services.table.queryAll(erasures, getErasuresSpan(request), { consistent: true });
  return all.toSorted((one, other) => other.startedAt - one.startedAt);
}
