import type { Reporter, TestCase } from '@playwright/test/reporter';

/** Keeps the process alive until the recording reporter has sent the last attempt of each test. */
export default class WaitUntilSent implements Reporter {
  readonly #tests = new Set<TestCase>();

  onTestBegin(test: TestCase): void {
    this.#tests.add(test);
  }

  async onEnd(): Promise<void> {
    const ended = [...this.#tests].map(({ id, results }) => [id, results.length]);
    await fetch(String(process.env.SENT_URL), { method: 'POST', body: JSON.stringify(Object.fromEntries(ended)) });
  }
}
