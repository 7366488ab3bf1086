import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../theme.css'
import { Playground } from './playground.js'

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <Playground />
  </StrictMode>,
)
