import { passesGate } from './gate.ts';

passesGate('figs passes the gate');
