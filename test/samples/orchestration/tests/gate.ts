import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@playwright/test';

const { GATE_URL = '', CURRENTS_MACHINE_ID = '' } = process.env;

/** Reports a step now and then until the test of the service opens the gate for this machine. */
export const passesGate = (name: string): void =>
  test(name, async () => {
    const isClosed = async () => (await fetch(`${GATE_URL}/${CURRENTS_MACHINE_ID}`)).status !== 200;
    while (await isClosed()) await test.step('waits at the gate', () => setTimeout(200));
    expect(name).toContain('passes');
  });
