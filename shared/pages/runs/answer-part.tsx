/** The answer to a red run, above everything else. */
import type { Html } from '#shared/engine/html/html.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { linkToQuarantine } from '#shared/pages/rules/quarantine-link.ts';
import { linkToRules, linkToRun, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import type { AnswerPart, AnswerTarget, Sentence } from '#shared/results/failures/answer.ts';
import type { QuarantineOf } from '#shared/rules/quarantines.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly runId: string;
  readonly sentences: readonly Sentence[];
  /** The base that the person chose. The pages of sections and causes keep it. */
  readonly chosenBase?: string | undefined;
  readonly quarantineOf?: QuarantineOf;
  readonly now: number;
}

export const Answer = (props: Props): Html =>
  props.sentences.length === 0 ? (
    <></>
  ) : (
    <p class="answer">
      {props.sentences.map((sentence) => (
        <span>
          {sentence.map((part) => (
            <Part {...props} part={part} />
          ))}{' '}
        </span>
      ))}
    </p>
  );

function Part({ part, ...props }: Omit<Props, 'sentences'> & { readonly part: AnswerPart }): Html {
  if (typeof part === 'string') return <>{part}</>;
  const quarantine = part.to?.kind === 'quarantine' && props.quarantineOf?.(part.to.test);
  if (quarantine) return <a href={linkToRules(props.visit, quarantine.actionId)}>look at its quarantine</a>;
  const text = 'words' in part ? part.words : <b>{makeVisibleLine(part.quote)}</b>;
  return part.to ? <a href={linkToTarget(props, part.to)}>{text}</a> : <>{text}</>;
}

function linkToTarget(
  { visit, runId, chosenBase, now }: Omit<Props, 'sentences' | 'quarantineOf'>,
  target: AnswerTarget,
): string {
  switch (target.kind) {
    case 'cause':
      return linkToRun(visit, runId, { base_run_id: chosenBase, verdict: target.verdict, cause: target.cause });
    case 'section':
      return linkToRun(visit, runId, { base_run_id: chosenBase, verdict: target.verdict });
    case 'run':
      return linkToRun(visit, target.runId);
    case 'test':
      return linkToTestOfRun(visit, target.test);
    case 'quarantine':
      return linkToQuarantine(visit, target.test, now);
  }
}
