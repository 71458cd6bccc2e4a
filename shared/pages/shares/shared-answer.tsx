/**
 * The answer for outsiders: what the shared failures alone say. The other sentences of the answer tell of people, commits
 * and runs that the share does not open.
 */
import { writeFirstSentence } from '#shared/context/causes.ts';
import type { ContextData, TestContext } from '#shared/context/context-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { listCauseTraits } from '#shared/errors/cause-traits.ts';
import { type Sentence, writeTestAnswer } from '#shared/results/failures/answer.ts';
import { nameCause } from '#shared/results/failures/causes.ts';

/** Secrets in the context must already be masked. */
export function SharedAnswer({ context }: { readonly context: ContextData }): Html {
  const sentences = writeSharedAnswer(context);
  if (sentences.length === 0) return <></>;
  return (
    <p class="answer">
      {sentences.map((sentence) => (
        <span>
          {sentence.map((part) => {
            if (typeof part === 'string') return part;
            return 'words' in part ? part.words : <b>{makeVisibleLine(part.quote)}</b>;
          })}{' '}
        </span>
      ))}
    </p>
  );
}

function writeSharedAnswer(context: ContextData): Sentence[] {
  if (context.level === 'test') return describeTest(context);
  const sentence = writeFirstSentence(context);
  return sentence ? [sentence] : [];
}

function describeTest({ test, error, furtherErrors = [], otherAttempts = [] }: TestContext): Sentence[] {
  const otherFailures = otherAttempts.filter((one) => one.error !== null);
  return writeTestAnswer({
    cause: error ? nameCause(listCauseTraits(error)) : undefined,
    isFlaky: test.status === 'passed',
    attempts: test.totalAttempts,
    failedAttempts: otherFailures.length + (error ? 1 : 0),
    furtherErrors: furtherErrors.length,
  });
}
