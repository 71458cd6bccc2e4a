/** A process that asked what a leg of a build has to repeat. Two of one leg and one try cannot be told apart. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { TryOfBuild } from './run.ts';

interface LegOfTry extends ProjectKey, TryOfBuild {
  readonly leg: string;
}

interface LegQuestion extends LegOfTry {
  /** Any value that no other process has. */
  readonly process: string;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

const getPartition = ({ organizationId, projectId, build }: LegOfTry): string =>
  composeKey('LEGS', organizationId, projectId, build);

const getParts = ({ attempt, again, leg }: LegOfTry) => ['ASKED', String(attempt), String(again), leg] as const;

export const legQuestions: Entity<LegOfTry & Pick<LegQuestion, 'process'>, LegQuestion> = {
  type: 'question of a leg',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'The processes that asked for a leg in a try' }],
  key: (of) => ({ pk: getPartition(of), sk: composeKey(...getParts(of), of.process) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getLegQuestionsSpan = (of: LegOfTry) => getPrefixSpan(getPartition(of), composePrefix(...getParts(of)));
