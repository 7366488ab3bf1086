#!/usr/bin/env -S node --max-semi-space-size=16
import '../dist/main.js'
