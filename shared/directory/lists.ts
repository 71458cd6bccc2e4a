/** Lists of users and groups (RFC 7644, 3.4.2): filters, pages, and which attributes a client wants. */
import type { DirectoryActor } from '#shared/access/actor.ts';
import type { DirectoryEntry } from '#shared/model/directory/directory-entry.ts';
import type { DirectoryGroup } from '#shared/model/directory/directory-group.ts';
import { directoryNames, getDirectoryNamesSpan } from '#shared/model/directory/directory-name.ts';
import { directoryValues, getDirectoryValuesSpan } from '#shared/model/directory/directory-value.ts';
import type { CoreServices } from '#shared/services.ts';
import { invalidFilter } from './errors.ts';
import { isMemberOf, listGroups } from './groups.ts';
import { DIRECTORY_LIMITS } from './limits.ts';
import { parseFilter, type Term } from './paths.ts';
import { readUsers, type User } from './users.ts';

export interface ListQuery {
  readonly filter?: string | undefined;
  readonly startIndex?: string | undefined;
  readonly count?: string | undefined;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly startIndex: number;
  readonly total: number;
}

/** RFC 7644, 3.4.2.4: a smaller index is 1, and a negative count is 0. What is no number has no meaning. */
function takePage<Item>(all: readonly Item[], { startIndex, count }: ListQuery): Page<Item> {
  const first = Math.max(1, parseInteger(startIndex, 1));
  const size = Math.min(DIRECTORY_LIMITS.page, Math.max(0, parseInteger(count, DIRECTORY_LIMITS.page)));
  return { items: all.slice(first - 1, first - 1 + size), startIndex: first, total: all.length };
}

function parseInteger(text: string | undefined, otherwise: number): number {
  const number = Number(text?.trim() || Number.NaN);
  return Number.isSafeInteger(number) ? number : otherwise;
}

/** In the order of their user names' keys, which only new and renamed users change. */
export async function listUsers(services: CoreServices, actor: DirectoryActor, query: ListQuery): Promise<Page<User>> {
  if (query.filter !== undefined) {
    const terms = parseFilter(query.filter);
    const entryIds = await findEntryIds(services, actor, terms, query.filter);
    const users = await readUsers(services, actor, entryIds);
    return takePage(
      users.filter((user) => terms.every((term) => matchesUser(user, term))),
      query,
    );
  }
  const { organizationId } = actor;
  const span = getDirectoryNamesSpan({ organizationId, of: 'USER' });
  const names = await services.table.queryAll(directoryNames, span, { consistent: true });
  const page = takePage(names, query);
  const entryIds = page.items.map(({ id }) => id);
  return { ...page, items: await readUsers(services, actor, entryIds) };
}

/** Those who match one of the terms that are looked up by a key. */
async function findEntryIds(
  { table }: CoreServices,
  { organizationId }: DirectoryActor,
  terms: readonly Term[],
  filter: string,
): Promise<string[]> {
  for (const term of terms) {
    const kind = USER_FILTERS.get(term.path.attribute);
    if (!kind || !isSupported(term) || typeof term.value !== 'string') continue;
    if (kind === 'id') return [term.value];
    if (kind === 'USER') {
      const key = { organizationId, of: kind, name: term.value.toLowerCase() };
      const name = await table.get(directoryNames, key, { consistent: true });
      return name ? [name.id] : [];
    }
    const value = kind === 'EMAIL' ? term.value.toLowerCase() : term.value;
    const span = getDirectoryValuesSpan({ organizationId, of: kind, value });
    const values = await table.queryAll(directoryValues, span, { consistent: true });
    return values.map(({ entryId }) => entryId);
  }
  throw invalidFilter(filter);
}

const USER_FILTERS: ReadonlyMap<string, 'id' | 'USER' | 'EXTERNAL' | 'EMAIL'> = new Map([
  ['id', 'id'],
  ['username', 'USER'],
  ['externalid', 'EXTERNAL'],
  ['emails', 'EMAIL'],
]);

/** Such as `emails`, `emails.value` and `emails[type eq "work"].value`. */
const isSupported = ({ path: { attribute, where, sub } }: Term): boolean =>
  attribute === 'emails'
    ? (sub === undefined || sub === 'value') && (where === undefined || where.path.attribute === 'type')
    : where === undefined && sub === undefined;

function matchesUser({ entry, membership }: User, term: Term): boolean {
  const { path, value } = term;
  if (path.attribute === 'active') return String(membership !== undefined) === String(value).toLowerCase();
  if (!isSupported(term)) throw invalidFilter(path.attribute);
  return listValues(entry, term).some((own) =>
    path.attribute === 'id' || path.attribute === 'externalid'
      ? own === value
      : own.toLowerCase() === String(value).toLowerCase(),
  );
}

function listValues({ entryId, userName, externalId, emails = [] }: DirectoryEntry, { path }: Term): string[] {
  switch (path.attribute) {
    case 'id':
      return [entryId];
    case 'username':
      return [userName];
    case 'externalid':
      return externalId === undefined ? [] : [externalId];
    case 'emails': {
      const type = path.where?.value;
      return emails
        .filter((email) => type === undefined || email.type?.toLowerCase() === String(type).toLowerCase())
        .map((email) => email.value);
    }
    default:
      throw invalidFilter(path.attribute);
  }
}

export async function listDirectoryGroups(
  services: CoreServices,
  actor: DirectoryActor,
  query: ListQuery,
): Promise<Page<DirectoryGroup>> {
  let groups = await listGroups(services, actor);
  const terms = query.filter === undefined ? [] : parseFilter(query.filter);
  for (const term of terms) groups = await filterGroups(services, groups, term);
  return takePage(groups, query);
}

async function filterGroups(services: CoreServices, groups: DirectoryGroup[], { path, value }: Term) {
  const { attribute, where, sub } = path;
  if (typeof value !== 'string' || where !== undefined) throw invalidFilter(attribute);
  if (attribute === 'members' && (sub === undefined || sub === 'value')) {
    const memberships = await Promise.all(groups.map((group) => isMemberOf(services, group, value)));
    return groups.filter((_, index) => memberships[index]);
  }
  if (sub !== undefined) throw invalidFilter(attribute);
  switch (attribute) {
    case 'id':
      return groups.filter(({ groupId }) => groupId === value);
    case 'displayname':
      return groups.filter(({ displayName }) => displayName.toLowerCase() === value.toLowerCase());
    case 'externalid':
      return groups.filter(({ externalId }) => externalId === value);
    default:
      throw invalidFilter(attribute);
  }
}

export interface Projection {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

/** The first parts of the names, in lower case. */
const splitNames = (names: string): Set<string> =>
  new Set(
    names.split(',').map((name) => {
      const own = name.trim().toLowerCase();
      return (own.slice(own.lastIndexOf(':') + 1).split('.')[0] ?? '').trim();
    }),
  );

export function isWanted(name: string, { attributes, excludedAttributes }: Projection): boolean {
  if (attributes?.trim()) return splitNames(attributes).has(name.toLowerCase());
  return excludedAttributes === undefined || !splitNames(excludedAttributes).has(name.toLowerCase());
}

const ALWAYS = new Set(['schemas', 'id', 'meta']);

/** RFC 7644, 3.9. */
export const project = (resource: object, projection: Projection): object =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => ALWAYS.has(name) || isWanted(name, projection)));
