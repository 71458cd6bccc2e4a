/** Shows the plan of a settings file to people, and describes it for scripts. */
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { SETTINGS_FILE_LIMITS } from './settings-file/limits.ts';
import { type Change, type FieldChange, type Json, type Manual, subjectText } from './settings-file/plan.ts';
import type { PlannedPart } from './settings-file/plan-settings.ts';
import { bad, changed, good, quiet, strong, type Terminal } from './terminal.ts';

const VERBS = {
  create: { sign: '+', style: good, done: 'created' },
  change: { sign: '~', style: changed, done: 'changed' },
  remove: { sign: '-', style: bad, done: 'removed' },
} as const;

/** The plan for people, one part after the other. Has no lines if nothing differs. */
export function linesOfPlan(parts: readonly PlannedPart[], terminal: Terminal): string[] {
  const shown = parts.flatMap((part) => [
    strong(titleOf(part), terminal),
    ...part.changes.flatMap((change) => changeLines(change, terminal)),
    ...part.manual.flatMap((one) => manualLines(one, terminal)),
    '',
  ]);
  return shown.length === 0 ? [] : [...shown, summaryOf(parts)];
}

const titleOf = ({ project }: PlannedPart): string => {
  if (project === undefined) return 'Organization';
  const { name, projectId } = project;
  return `Project ${makeVisibleLine(name)}${projectId === undefined ? '' : ` (${projectId})`}`;
};

function changeLines(change: Change, terminal: Terminal): string[] {
  const { sign, style } = VERBS[change.verb];
  const note = change.note === undefined ? '' : quiet(`  ${change.note}`, terminal);
  return [`  ${style(`${sign} ${subjectText(change)}`, terminal)}${note}`, ...change.fields.flatMap(fieldLine)];
}

const manualLines = (one: Manual, terminal: Terminal): string[] => [
  `  ${changed(`! ${subjectText(one)}`, terminal)}  by hand`,
  ...one.fields.flatMap(fieldLine),
  `      ${one.todo}`,
];

/** A line such as `name: "Old" → "New"`. No line for a new object whose setting is empty. */
const fieldLine = ({ name, from, to }: FieldChange): string[] =>
  from === undefined && to === null
    ? []
    : [`      ${name}: ${from === undefined ? '' : `${valueText(from)} → `}${valueText(to)}`];

function valueText(value: Json): string {
  const text = makeVisibleLine(JSON.stringify(value));
  const { shownCharacters } = SETTINGS_FILE_LIMITS;
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…`;
}

function summaryOf(parts: readonly PlannedPart[]): string {
  const changes = parts.flatMap((part) => part.changes);
  const counts = Object.entries(VERBS).map(([verb, { done }]) => {
    const count = changes.filter((change) => change.verb === verb).length;
    return count === 0 ? [] : `${count} to be ${done}`;
  });
  const byHand = parts.reduce((sum, { manual }) => sum + manual.length, 0);
  return `${[...counts.flat(), ...(byHand === 0 ? [] : [`${byHand} left for you`])].join(', ')}.`;
}

/** The plan for scripts. */
export const documentOfPlan = (parts: readonly PlannedPart[]) => ({
  changes: parts.flatMap(({ project, changes }) =>
    changes.map(({ run: _, ...change }) => ({ ...change, ...projectOf(project) })),
  ),
  byHand: parts.flatMap(({ project, manual }) => manual.map((one) => ({ ...one, ...projectOf(project) }))),
});

const projectOf = (project: PlannedPart['project']) =>
  project === undefined ? {} : { project: project.name, projectId: project.projectId };
