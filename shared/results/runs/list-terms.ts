/** §4.4.7 The values that filters of a project can have, sorted by their last use. */
import type * as z from 'zod';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { type PageQuery, parseWalk } from '#shared/engine/http/pagination.ts';
import { encodeInstant } from '#shared/engine/table/keys.ts';
import { findProject } from '#shared/find-project.ts';
import { getTermsSpan, type Term, type TermType, terms } from '#shared/model/runs/term.ts';
import type { Services } from '#shared/services.ts';
import { contains } from '../contains.ts';
import { RESULT_LIMITS } from '../limits.ts';
import type { TermItem, termsQuery } from './terms-wire.ts';

type Query = PageQuery & z.output<z.ZodObject<typeof termsQuery>>;

export async function listTerms(
  services: Services,
  {
    organizationId,
    projectId,
    termType,
    query,
  }: { organizationId: string; projectId: string; termType: TermType; query: Query },
): Promise<{ has_more: boolean; truncated: boolean; data: (TermItem & { cursor: string })[] }> {
  const { dir, search } = query;
  const scope = { list: `terms ${projectId} ${termType}`, filters: { dir, search } };
  const cursors = await services.cursors(organizationId, scope);
  const walk = parseWalk(query, cursors);
  await findProject(services, { organizationId, projectId });
  const { first: all, truncated } = await readFirstTerms(services, { organizationId, projectId, termType });
  const matchingTerms = all
    .filter(({ value }) => search === undefined || contains(value, search))
    .map((term): PlacedTerm => ({ term, position: encodeInstant(term.lastUsedAt) + terms.key(term).sk }))
    .sort((one, other) => (one.position < other.position ? -1 : 1));
  const { hasMore, items } = cutPage(dir === 'asc' ? matchingTerms : matchingTerms.toReversed(), walk, query);
  const data = items.map(({ term, position }) => ({
    value: term.value,
    lastUsedAt: formatIsoTime(term.lastUsedAt),
    cursor: cursors.seal(position),
  }));
  return { has_more: hasMore, truncated, data };
}

/** Reads the alphabetically first terms, and says whether there are more. */
async function readFirstTerms(
  { table }: Services,
  list: Parameters<typeof getTermsSpan>[0],
): Promise<{ first: Term[]; truncated: boolean }> {
  const storedTerms: Term[] = [];
  let after: string | undefined;
  do {
    const limit = RESULT_LIMITS.termsRead + 1 - storedTerms.length;
    const page = await table.query(terms, getTermsSpan(list), { limit, after });
    storedTerms.push(...page.rows.map(({ item }) => item));
    after = page.lastRead;
  } while (after !== undefined && storedTerms.length <= RESULT_LIMITS.termsRead);
  return {
    first: storedTerms.slice(0, RESULT_LIMITS.termsRead),
    truncated: storedTerms.length > RESULT_LIMITS.termsRead,
  };
}

interface PlacedTerm {
  readonly term: Term;
  /** The position in the list: by last use, then by key. */
  readonly position: string;
}

/** A term that is used while a client pages through the list moves to another position. */
function cutPage(
  list: readonly PlacedTerm[],
  walk: ReturnType<typeof parseWalk>,
  { limit, dir }: Query,
): { readonly hasMore: boolean; readonly items: readonly PlacedTerm[] } {
  const { after } = walk;
  const isBehind = ({ position }: PlacedTerm) =>
    after === undefined || (dir === 'asc' ? position > after : position < after);
  if (walk.direction === 'older') {
    const rest = list.filter(isBehind);
    return { hasMore: rest.length > limit, items: rest.slice(0, limit) };
  }
  const before = list.filter((place) => !isBehind(place) && place.position !== after);
  return { hasMore: before.length > limit, items: before.slice(-limit) };
}
