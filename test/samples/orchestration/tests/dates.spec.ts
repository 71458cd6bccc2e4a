import { passesGate } from './gate.ts';

passesGate('dates passes the gate');
