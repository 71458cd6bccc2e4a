/** Replaces the author of one run: in its own row, the rows of its tests, its search words and its import. */
import type { WithTable } from '#shared/engine/table/table.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT, put, remove } from '#shared/engine/table/writes.ts';
import { replaceAuthorOfTests } from '#shared/ingest/replace-author.ts';
import { type Author, replaceAuthor } from '#shared/model/organizations/erasure.ts';
import { instances } from '#shared/model/results/instance.ts';
import { imports } from '#shared/model/runs/import.ts';
import { getRunMembersSpan, type Run, runs } from '#shared/model/runs/run.ts';
import { listRunWords, runWords, splitWords } from '#shared/model/runs/run-word.ts';
import { anonymizeCommit } from '#shared/organizations/erased-commit.ts';
import type { SearchedPerson } from './searched-person.ts';

/** The number of spec files that were left as they are. */
export interface ErasedRun {
  readonly left: number;
}

/**
 * The row of the run comes first, so that requests from then on write the pseudonym. The run is found again by it: an
 * interrupted call is repeated.
 */
export async function eraseRun(services: WithTable, person: SearchedPerson, run: Run): Promise<ErasedRun> {
  const { table } = services;
  await person.rememberName(services, run.commit);
  const commit = person.isAuthor(run.commit) ? anonymizeCommit(run.commit, person.pseudonym) : run.commit;
  if (commit !== run.commit) await table.update(runs, run, { set: [['commit', commit]] }, PRESENT);
  const erasedRun: Run = { ...run, commit };
  await eraseWords(services, person, erasedRun);
  await eraseImport(services, person, erasedRun);
  const replacement = {
    isAuthor: (author: Author) => person.isAuthor(author),
    replaceAuthor: (author: Author) => replaceAuthor(author, person.pseudonym),
    replaceIn: (old: Run['commit']) => anonymizeCommit(old, person.pseudonym),
  };
  const all = await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true, ended: true });
  let left = 0;
  for (const instance of all) if (!(await replaceAuthorOfTests(services, instance, replacement))) left += 1;
  return { left };
}

/** Words that the run has for another reason stay, such as one of its commit message. */
async function eraseWords({ table }: WithTable, person: SearchedPerson, run: Run): Promise<void> {
  const words = listRunWords(run);
  const keptWords = new Set(words);
  const oldWords = splitWords([person.address, ...person.names].join(' ')).filter((word) => !keptWords.has(word));
  const isEnded = run.endedAt !== undefined;
  await table.writeMany([
    ...oldWords.map((word) => remove(runWords, { ...run, word })),
    ...(isEnded ? words.map((word) => put(runWords, { ...run, word, expiresAt: run.expiry.results })) : []),
  ]);
}

async function eraseImport({ table }: WithTable, person: SearchedPerson, { importId, ...run }: Run): Promise<void> {
  if (importId === undefined) return;
  const row = await table.get(imports, { ...run, importId }, { consistent: true });
  const { author = null, authorEmail = null } = row?.options ?? {};
  const sent = { authorName: author, authorEmail };
  if (!row || !person.isAuthor(sent)) return;
  const replaced = replaceAuthor(sent, person.pseudonym);
  const set = toAssignments({
    author: replaced.authorName ?? undefined,
    authorEmail: replaced.authorEmail ?? undefined,
  });
  await table.update(imports, row, { set: set.map(([name, value]) => [['options', name], value] as const) }, PRESENT);
}
