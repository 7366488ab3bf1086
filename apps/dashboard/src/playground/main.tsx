import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../theme.css'
import '../components/components.css'
import '../charts/charts.css'
import { Playground } from './playground.js'

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <Playground />
  </StrictMode>,
)
