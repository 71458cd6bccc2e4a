/**
 * The reporter for node:test: `node --test --test-reporter=spec --test-reporter-destination=stdout
 * --test-reporter=rundown-cli/node-test --test-reporter-destination=stdout`.
 *
 * It is a stream and not a generator, because a stream gets each event immediately. With `--test-force-exit` and after
 * Ctrl+C, Node ends the process before a generator would see the last events.
 */

import { Transform, type TransformCallback } from 'node:stream';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { beginSession } from './begin.ts';
import type { TestEvent } from './node-test-events.ts';
import { NodeTestRecording } from './node-test-recording.ts';

export default class RundownReporter extends Transform {
  #recording: NodeTestRecording | undefined;
  /** Watch mode runs the tests repeatedly. Each of these runs is a recording of its own. */
  readonly #isWatching = process.execArgv.includes('--watch');
  #hasBegun = false;
  #hasFailed = false;

  constructor() {
    super({ writableObjectMode: true });
  }

  override _transform(event: TestEvent, _encoding: BufferEncoding, callback: TransformCallback): void {
    try {
      if (!this.#isWatching || event.type === 'test:enqueue') this.#begin();
      if (event.type === 'test:watch:drained') this.#end().then((text) => callback(null, text), callback);
      else {
        this.#recording?.take(event);
        callback();
      }
    } catch (error) {
      this.#give(error);
      callback();
    }
  }

  override _flush(callback: TransformCallback): void {
    if (!this.#isWatching) this.#begin();
    this.#end().then((text) => callback(null, text), callback);
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const session = beginSession({}, { type: 'node:test', version: process.versions.node });
    if (!session || (this.#isWatching && !session.settings.watch)) return;
    this.#recording = new NodeTestRecording(session);
  }

  async #end(): Promise<string> {
    const recording = this.#recording;
    this.#recording = undefined;
    this.#hasBegun = false;
    try {
      return (await recording?.end()) ?? '';
    } catch (error) {
      this.#give(error);
      return '';
    }
  }

  /** An error in the reporter must not fail the test run. */
  #give(error: unknown): void {
    if (!this.#hasFailed) console.error(`Rundown  the recording is incomplete: ${makeVisibleLine(String(error))}`);
    this.#hasFailed = true;
  }
}
