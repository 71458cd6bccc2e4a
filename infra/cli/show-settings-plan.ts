/** Shows the plan of a settings file to people, and describes it for scripts. */

import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { FieldChange, Json } from './settings-file/fields.ts';
import { SETTINGS_FILE_LIMITS } from './settings-file/limits.ts';
import { type Change, formatSubject, type Manual } from './settings-file/plan.ts';
import type { PlannedPart } from './settings-file/plan-settings.ts';
import { bad, changed, good, quiet, strong, type Terminal } from './terminal/terminal.ts';

const VERBS = {
  create: { sign: '+', style: good, done: 'created' },
  change: { sign: '~', style: changed, done: 'changed' },
  remove: { sign: '-', style: bad, done: 'removed' },
} as const;

/** The plan for people, one part after the other. Has no lines if nothing differs. */
export function formatPlan(parts: readonly PlannedPart[], terminal: Terminal): string[] {
  const lines = parts.flatMap((part) => [
    strong(formatTitle(part), terminal),
    ...part.changes.flatMap((change) => formatChange(change, terminal)),
    ...part.manual.flatMap((one) => formatManualStep(one, terminal)),
    '',
  ]);
  return lines.length === 0 ? [] : [...lines, formatSummary(parts)];
}

const formatTitle = ({ project }: PlannedPart): string => {
  if (project === undefined) return 'Organization';
  const { name, projectId } = project;
  return `Project ${makeVisibleLine(name)}${projectId === undefined ? '' : ` (${projectId})`}`;
};

function formatChange(change: Change, terminal: Terminal): string[] {
  const { sign, style } = VERBS[change.verb];
  const note = change.note === undefined ? '' : quiet(`  ${change.note}`, terminal);
  return [`  ${style(`${sign} ${formatSubject(change)}`, terminal)}${note}`, ...change.fields.flatMap(formatField)];
}

const formatManualStep = (one: Manual, terminal: Terminal): string[] => [
  `  ${changed(`! ${formatSubject(one)}`, terminal)}  by hand`,
  ...one.fields.flatMap(formatField),
  `      ${one.todo}`,
];

/** A line such as `name: "Old" → "New"`. No line for a new object whose setting is empty. */
function formatField({ name, from, to }: FieldChange): string[] {
  if (from === undefined) return to === null ? [] : [`      ${name}: ${formatValue(to)}`];
  return [`      ${name}: ${formatValue(from)} → ${formatValue(to)}`];
}

function formatValue(value: Json): string {
  const text = makeVisibleLine(JSON.stringify(value));
  const { shownCharacters } = SETTINGS_FILE_LIMITS;
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…`;
}

function formatSummary(parts: readonly PlannedPart[]): string {
  const changes = parts.flatMap((part) => part.changes);
  const counts: string[] = [];
  for (const [verb, { done }] of Object.entries(VERBS)) {
    const count = changes.filter((change) => change.verb === verb).length;
    if (count > 0) counts.push(`${count} to be ${done}`);
  }
  const manualCount = parts.flatMap((part) => part.manual).length;
  if (manualCount > 0) counts.push(`${manualCount} left for you`);
  return `${counts.join(', ')}.`;
}

export const toPlanDocument = (parts: readonly PlannedPart[]) => ({
  changes: parts.flatMap(({ project, changes }) =>
    changes.map(({ run: _, ...change }) => ({ ...change, ...presentProject(project) })),
  ),
  byHand: parts.flatMap(({ project, manual }) => manual.map((one) => ({ ...one, ...presentProject(project) }))),
});

const presentProject = (project: PlannedPart['project']) =>
  project === undefined ? {} : { project: project.name, projectId: project.projectId };
