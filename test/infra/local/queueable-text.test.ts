/** SQS and the local queue accept #x9 | #xA | #xD | #x20-#xD7FF | #xE000-#xFFFD | #x10000-#x10FFFF. */
import { expect, test } from 'vitest';
import { sendAwsJsonRequest } from '#infra/local/host/aws-request.ts';
import { replaceInvalidCharacters } from '#shared/engine/queueable.ts';
import { findEngines } from '#test/harness/stage.ts';

const { sqsEndpoint: endpoint } = await findEngines();
const call = (operation: string, input: object) => sendAwsJsonRequest({ service: 'sqs', endpoint, operation, input });

async function ownQueue(): Promise<string> {
  const QueueName = `text-${crypto.randomUUID().slice(0, 8)}`;
  expect((await call('CreateQueue', { QueueName })).status).toBe(200);
  return `${endpoint}/000000000000/${QueueName}`;
}

test.each([
  ['an emoji', '\u{1f600}', true],
  ['the last character of the last plane', '\u{10ffff}', true],
  ['a tab and line ends', '\t\r\n', true],
  ['the last character before the surrogates', '\ud7ff', true],
  ['the first character after the surrogates', '\ue000', true],
  ['U+FFFD', '\ufffd', true],
  ['U+FFFE', '\ufffe', false],
  ['U+FFFF', '\uffff', false],
  ['NUL', '\0', false],
  ['an escape', '\u001b', false],
])('the local queue accepts or refuses %s as SQS does', async (_, character, isAccepted) => {
  const QueueUrl = await ownQueue();
  expect((await call('SendMessage', { QueueUrl, MessageBody: `a${character}b` })).status === 200).toBe(isAccepted);
  const Entries = [{ Id: '0', MessageBody: `a${character}b` }];
  const { body } = await call('SendMessageBatch', { QueueUrl, Entries });
  expect(JSON.parse(body).Failed ?? []).toHaveLength(isAccepted ? 0 : 1);
});

test('preparing a text for a queue changes only the characters that a queue refuses in JSON', async () => {
  const QueueUrl = await ownQueue();
  const planes = Array.from({ length: 17 }, (_, plane) => plane * 0x10000);
  for (const first of planes) {
    const all = Array.from({ length: 0x10000 }, (_, place) => String.fromCodePoint(first + place));
    const made = all.map(replaceInvalidCharacters);
    const changed = all.filter((character, place) => character !== made[place]);
    // Surrogates, U+FFFE and U+FFFF change. Control characters stay, because JSON escapes them.
    expect(changed).toHaveLength(first === 0 ? 0x800 + 2 : 0);
    const MessageBody = JSON.stringify(made.join(''));
    expect((await call('SendMessage', { QueueUrl, MessageBody })).status).toBe(200);
  }
});
