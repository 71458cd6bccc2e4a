/** The answer to a red run, above everything else. */
import type { Html } from '#shared/engine/html/html.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { linkToQuarantine } from '#shared/pages/rules/quarantine-link.ts';
import { linkToRules, linkToRun, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { isOfDeletedProject } from '#shared/pages/shell/may-add.ts';
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

export function Answer({ sentences, ...props }: Props): Html {
  if (sentences.length === 0) return <></>;
  const seenHrefs = new Set<string>();
  const linkedSentences = sentences
    .toReversed()
    .map((sentence) =>
      sentence
        .toReversed()
        .map((part) => linkOnce(props, part, seenHrefs))
        .reverse(),
    )
    .reverse();
  return (
    <p class="answer">
      {linkedSentences.map((sentence) => (
        <span>{sentence} </span>
      ))}
    </p>
  );
}

/**
 * Links lead away from the page, and to each place only once: what to do is the last sentence, so its link remains. The
 * sections of the page stand below, under headings with the same words.
 */
function linkOnce(props: Omit<Props, 'sentences'>, part: AnswerPart, seenHrefs: Set<string>): Html {
  if (typeof part === 'string') return <>{part}</>;
  const text = 'words' in part ? part.words : <b>{makeVisibleLine(part.quote)}</b>;
  if (!part.to || part.to.kind === 'section') return <>{text}</>;
  const quarantine = part.to.kind === 'quarantine' && props.quarantineOf?.(part.to.test);
  const href = quarantine ? linkToRules(props.visit, quarantine.actionId) : linkToTarget(props, part.to);
  const isRefused = part.to.kind === 'quarantine' && !quarantine && isOfDeletedProject(props.visit);
  if (isRefused || seenHrefs.has(href)) return <>{text}</>;
  seenHrefs.add(href);
  return <a href={href}>{quarantine ? 'look at its quarantine' : text}</a>;
}

function linkToTarget(
  { visit, runId, chosenBase, now }: Omit<Props, 'sentences' | 'quarantineOf'>,
  target: Exclude<AnswerTarget, { readonly kind: 'section' }>,
): string {
  switch (target.kind) {
    case 'cause':
      return linkToRun(visit, runId, { base_run_id: chosenBase, verdict: target.verdict, cause: target.cause });
    case 'run':
      return linkToRun(visit, target.runId);
    case 'test':
      return linkToTestOfRun(visit, target.test);
    case 'quarantine':
      return linkToQuarantine(visit, target.test, now);
  }
}
